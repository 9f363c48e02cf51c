import type { Language } from "../../pages/messages/languages.ts";
import { de } from "./de.ts";
import { es } from "./es.ts";
import { findPart, splitReason } from "./find-part.ts";
import { fr } from "./fr.ts";
import { it } from "./it.ts";
import { ja } from "./ja.ts";
import { nl } from "./nl.ts";
import type { PartTexts } from "./parts.ts";
import { fillPlaceholders } from "./placeholders.ts";
import { pt } from "./pt.ts";

/** Translations of the parts. The notifier and the registry write reasons in English. */
export const partTexts: Readonly<Record<Exclude<Language, "en">, PartTexts>> = { de, es, fr, it, ja, nl, pt };

/**
 * Translates the reason for the outcome of a delivery, including any error code, time limit, status or size in it.
 *
 * @param reason one or more English sentences
 * @returns for `en`, the reason unchanged; undefined if this version does not know every part of the reason
 */
export function translateReason(reason: string, language: Language): string | undefined {
  if (language === "en") return reason;
  const texts = splitReason(reason).map((text) => {
    const part = findPart(text);
    return part && fillPlaceholders(partTexts[language][part.kind], part.values, language);
  });
  return texts.includes(undefined) ? undefined : texts.join(language === "ja" ? "" : " ");
}
