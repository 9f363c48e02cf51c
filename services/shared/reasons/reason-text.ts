import type { Language } from "../texts/languages.ts";
import { receivedText, textsFor } from "../texts/texts.ts";
import type { Reason } from "./reason.ts";

/**
 * Renders a reason in a language: what happened, then what to do. A code that only another version knows, or a reason
 * without its parameters, becomes a generic sentence with the code.
 */
export function reasonText({ code, params }: Reason, language: Language): string {
  return receivedText(language, `reason.${code}`, params) ?? textsFor(language)("reason.unknown", { code });
}
