import { badRequest } from "#shared/errors/service-error.ts";
import { type Reason, reason } from "#shared/reasons/reason.ts";
import type { TextLimits } from "#shared/text/text-limits.ts";

/**
 * Returns why a string has an invalid length or encoding, or undefined for a valid string. An unpaired surrogate is
 * invalid, because the database and an event would represent it differently.
 */
export function lengthProblem(text: string, { min, max }: TextLimits): Reason | undefined {
  if (text.length < min) return text === "" ? reason("text_empty") : reason("text_too_short", { min });
  if (text.length > max) return reason("text_too_long", { max });
  if (!text.isWellFormed()) return reason("text_malformed");
  return undefined;
}

/** Like {@link lengthProblem}; in addition, control characters are invalid. */
export function textProblem(text: string, limits: TextLimits): Reason | undefined {
  return lengthProblem(text, limits) ?? (/\p{Cc}/u.test(text) ? reason("text_has_control_character") : undefined);
}

/** @throws ServiceError `bad_request` naming the field when {@link textProblem} finds a problem */
export function checkText(field: string, text: string, limits: TextLimits): void {
  const problem = textProblem(text, limits);
  if (problem !== undefined) throw badRequest(field, problem);
}
