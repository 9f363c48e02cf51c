import type { Language } from "../../pages/messages/languages.ts";
import { de } from "./de.ts";
import { es } from "./es.ts";
import { fr } from "./fr.ts";
import { it } from "./it.ts";
import { ja } from "./ja.ts";
import { nl } from "./nl.ts";
import { pt } from "./pt.ts";
import { type ReasonTexts, reasonKind } from "./reason-kinds.ts";

/** The translations of reasons, which the registry returns in English. */
export const reasonTexts: Readonly<Record<Exclude<Language, "en">, ReasonTexts>> = { de, es, fr, it, ja, nl, pt };

/**
 * Translates a reason that the registry returned. A reason that this version does not know remains in English, and a
 * missing period is added.
 *
 * @param reason a sentence, or a predicate such as `is empty`
 */
export function reasonText(reason: string, language: Language): string {
  const kind = reasonKind(reason);
  if (language !== "en" && kind !== undefined) return reasonTexts[language][kind];
  return reason.endsWith(".") ? reason : `${reason}.`;
}
