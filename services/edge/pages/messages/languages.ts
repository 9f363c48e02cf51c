import { supportedLanguages } from "#shared/text/supported-languages.ts";
import { de } from "./de.ts";
import { en } from "./en.ts";
import { es } from "./es.ts";
import { fr } from "./fr.ts";
import { it } from "./it.ts";
import { ja } from "./ja.ts";
import type { Messages } from "./messages.ts";
import { nl } from "./nl.ts";
import { pt } from "./pt.ts";

/** The tag of a language in which the pages are available. */
export type Language = (typeof supportedLanguages)[number];

/** The pages' texts in each language. */
export const messagesOf: Readonly<Record<Language, Messages>> = { en, de, fr, es, it, pt, nl, ja };

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
