import type { Language } from "#shared/texts/languages.ts";

/** Formats a point in time as a date in the given language, such as `22. November 2026` in German. Dates are in UTC. */
export function formatDate(date: Date, language: Language): string {
  return new Intl.DateTimeFormat(language, { dateStyle: "long", timeZone: "UTC" }).format(date);
}

/** Returns the format of points in time in the settings, in UTC. */
export function momentFormat(language: Language): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" });
}

/** Formats a whole number by the conventions of the language, such as `4.000` in German. */
export function formatNumber(number: number, language: Language): string {
  return new Intl.NumberFormat(language).format(number);
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
