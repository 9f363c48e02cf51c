import { ServiceError } from "#shared/errors/service-error.ts";
import type { Language } from "../../pages/messages/languages.ts";
import { type FormMistake, FormRefusal, type SentForm } from "../model/settings-page.ts";
import { reasonText } from "../reasons/reason-text.ts";

// Refusals that the merchant can respond to by changing the form or the time.
const refusals: readonly string[] = ["bad_request", "failed_precondition", "conflict", "rate_limited"];

/**
 * Returns the mistakes that an error means for the form that caused it; undefined for an error that no change of the
 * form can avoid.
 *
 * @param refused introduces the registry's reason
 */
export function formMistakes(error: unknown, refused: string, language: Language): readonly FormMistake[] | undefined {
  if (error instanceof FormRefusal) return error.mistakes;
  if (!(error instanceof ServiceError) || !refusals.includes(error.code)) return undefined;
  return [{ field: "", text: `${refused} ${reasonText(error.message, language)}` }];
}

/** Wraps the entries of a form. @param nonce pattern-checked by the registry */
export function sentForm(entries: URLSearchParams): SentForm {
  const text = (name: string) => (entries.get(name) ?? "").toWellFormed().trim();
  return { text, nonce: text("nonce") };
}
