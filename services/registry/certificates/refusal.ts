import type { ErrorCode } from "#shared/errors/error-codes.ts";
import { ServiceError } from "#shared/errors/service-error.ts";

/** A change that was not made, and why: a result, since a refusal must not end the other changes of its group. */
export interface Refusal {
  readonly refused: ErrorCode;
  /** A sentence for people. */
  readonly message: string;
  /** The field at fault, or undefined. */
  readonly field?: string;
}

/** Whether a result is a refusal. */
export function isRefusal(result: unknown): result is Refusal {
  return typeof result === "object" && result !== null && "refused" in result;
}

/** The result, unless it is a refusal. @throws ServiceError for one */
export function unwrap<T>(result: T | Refusal): T {
  if (!isRefusal(result)) return result;
  const field = result.field === undefined ? {} : { field: result.field };
  throw new ServiceError(result.refused, result.message, field);
}
