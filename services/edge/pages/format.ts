import type { Language } from "#shared/texts/languages.ts";

/** Returns a function that creates something dear, such as a format, at its first use in a language. */
export function perLanguage<Value>(create: (language: Language) => Value): (language: Language) => Value {
  const created: Partial<Record<Language, Value>> = {};
  return (language) => {
    created[language] ??= create(language);
    return created[language];
  };
}

const dateFormat = perLanguage((language) => new Intl.DateTimeFormat(language, { dateStyle: "long", timeZone: "UTC" }));
const numberFormat = perLanguage((language) => new Intl.NumberFormat(language));

/** Returns the format of points in time in the settings, in UTC. */
export const momentFormat = perLanguage(
  (language) => new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" }),
);

/** Formats a point in time as a date in the given language, such as `22. November 2026` in German. Dates are in UTC. */
export function formatDate(date: Date, language: Language): string {
  return dateFormat(language).format(date);
}

/** Formats a whole number by the conventions of the language, such as `4.000` in German. */
export function formatNumber(number: number, language: Language): string {
  return numberFormat(language).format(number);
}

const colons: Readonly<Partial<Record<Language, string>>> = { fr: "\u00A0: ", ja: "：" };

/** Returns what stands between a label and its value: a colon as the language writes it. */
export function colonOf(language: Language): string {
  return colons[language] ?? ": ";
}

/** Returns what stands between the entries of an enumeration: a comma as the language writes it. */
export function commaOf(language: Language): string {
  return language === "ja" ? "、" : ", ";
}
