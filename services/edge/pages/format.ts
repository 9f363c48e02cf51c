import type { Language } from "#shared/texts/languages.ts";

/** Formats a point in time as a date in the given language, such as `22. November 2026` in German. Dates are in UTC. */
export function formatDate(date: Date, language: Language): string {
  return new Intl.DateTimeFormat(language, { dateStyle: "long", timeZone: "UTC" }).format(date);
}

/** Formats a whole number by the conventions of the language, such as `4.000` in German. */
export function formatNumber(number: number, language: Language): string {
  return new Intl.NumberFormat(language).format(number);
}
