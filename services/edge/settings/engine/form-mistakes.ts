import { ServiceError } from "#shared/errors/service-error.ts";
import type { Language } from "../../pages/messages/languages.ts";
import { type FormMistake, FormRefusal, type SentForm } from "../model/settings-page.ts";
import { reasonText } from "../reasons/reason-text.ts";

// Codes of the errors that the merchant can resolve by changing the form or sending it again later.
const refusals: readonly string[] = ["bad_request", "failed_precondition", "conflict", "rate_limited"];

/**
 * Converts the error of an action to the errors that its form shows; returns undefined for an error that the merchant
 * cannot resolve by changing the form or sending it again later.
 *
 * @param refused the text that introduces the registry's reason
 */
export function formMistakes(error: unknown, refused: string, language: Language): readonly FormMistake[] | undefined {
  if (error instanceof FormRefusal) return error.mistakes;
  if (!(error instanceof ServiceError) || !refusals.includes(error.code)) return undefined;
  return [{ field: "", text: `${refused} ${reasonText(error.message, language)}` }];
}

/** Wraps the entries of a form. The registry validates the nonce, like every idempotency key. */
export function sentForm(entries: URLSearchParams): SentForm {
  const text = (name: string) => (entries.get(name) ?? "").toWellFormed().trim();
  return { text, has: (name) => entries.has(name), nonce: text("nonce") };
}
