import { badRequest } from "#shared/errors/service-error.ts";

/** The allowed length of a text, in UTF-16 code units. */
export interface TextLimits {
  readonly min: number;
  readonly max: number;
}

/** Returns why a text is invalid, as a predicate such as `is empty`, or undefined. Control characters are invalid. */
export function textProblem(text: string, { min, max }: TextLimits): string | undefined {
  if (text.length < min) return min === 1 ? "is empty" : "is too short";
  if (text.length > max) return `is longer than ${max} characters`;
  if (/\p{Cc}/u.test(text)) return "contains a control character";
  return undefined;
}

/** @throws ServiceError `bad_request` naming the field when {@link textProblem} finds a problem */
export function checkText(field: string, text: string, limits: TextLimits): void {
  const problem = textProblem(text, limits);
  if (problem !== undefined) throw badRequest(field, problem);
}
