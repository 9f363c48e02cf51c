import type { Reason } from "#gen/registry/v1/reason_pb.js";
import { reasonText } from "#shared/reasons/reason-text.ts";
import type { Language } from "#shared/texts/languages.ts";
import { type Html, isolated } from "../../pages/html.ts";

/** Renders a reason that the registry sent, in the language of the page; undefined if it sent none. */
export function shownReason(reason: Pick<Reason, "code" | "params"> | undefined, language: Language): Html | undefined {
  return reason && isolated(reasonText(reason, language));
}
