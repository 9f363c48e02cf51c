import { badRequest } from "#shared/errors/service-error.ts";
import type { TextLimits } from "#shared/text/text-limits.ts";

/**
 * Returns why a string has an invalid length or encoding, as a predicate such as `is empty`; undefined for a valid
 * string. An unpaired surrogate is invalid, because the database and an event would represent it differently.
 */
export function lengthProblem(text: string, { min, max }: TextLimits): string | undefined {
  if (text.length < min) return text === "" ? "is empty" : `is shorter than ${min} characters`;
  if (text.length > max) return `is longer than ${max} characters`;
  if (!text.isWellFormed()) return "contains half of a character (an unpaired surrogate)";
  return undefined;
}

/** Like {@link lengthProblem}; in addition, control characters are invalid. */
export function textProblem(text: string, limits: TextLimits): string | undefined {
  return lengthProblem(text, limits) ?? (/\p{Cc}/u.test(text) ? "contains a control character" : undefined);
}

/** @throws ServiceError `bad_request` naming the field when {@link textProblem} finds a problem */
export function checkText(field: string, text: string, limits: TextLimits): void {
  const problem = textProblem(text, limits);
  if (problem !== undefined) throw badRequest(field, problem);
}
