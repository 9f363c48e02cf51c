import { type EditionNumber, type EditionStyle, editionStyles, formatEdition } from "#shared/certificates/edition.ts";
import type { PublicCertificate } from "#shared/certificates/public-certificate.ts";
import type { Language } from "#shared/texts/languages.ts";
import { textsFor } from "#shared/texts/texts.ts";

/** Returns an edition number in a style, as the store's pages show it. */
export function editionWords(edition: EditionNumber, style: EditionStyle, language: Language): string {
  return style === "no_of" || style === "number"
    ? textsFor(language)(`pages.editions.${style}`, edition)
    : formatEdition(edition, style);
}

/**
 * Returns the edition number of a certificate in a language, because the public JSON is English. The JSON does not name
 * the style, but each style that contains words formats a number in its own way.
 */
export function editionOf(
  { number, total, formatted }: NonNullable<PublicCertificate["edition"]>,
  language: Language,
): string {
  const edition = { number, total };
  const style = editionStyles.find((name) => formatEdition(edition, name) === formatted);
  return style === undefined ? formatted : editionWords(edition, style, language);
}
