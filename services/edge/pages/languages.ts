import { type Language, supportedLanguages } from "#shared/texts/languages.ts";

/**
 * Returns the supported language that matches a language tag, such as `de` for `de-AT`; undefined if none matches.
 *
 * @param tag an RFC 5646 language tag, or any other string
 */
export function supportedLanguage(tag: string): Language | undefined {
  const primary = tag.toLowerCase().split("-")[0];
  return supportedLanguages.find((language) => language === primary);
}

const rightToLeft: readonly string[] = ["ar", "fa", "he", "ur"];

/** Returns the writing direction of a language. @param language a tag without subtags, such as `ar` */
export function directionOf(language: string): "ltr" | "rtl" {
  return rightToLeft.includes(language) ? "rtl" : "ltr";
}
