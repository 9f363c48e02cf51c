import type { ErrorCode } from "#shared/errors/error-codes.ts";
import { ServiceError } from "#shared/errors/service-error.ts";

/** The reason why a change was not made. A result rather than an error, so that it does not fail the changes of its group. */
export interface Refusal {
  readonly refused: ErrorCode;
  /** A public sentence. */
  readonly message: string;
  /** The field at fault, or undefined. */
  readonly field?: string;
}

/** Returns whether a result is a refusal. */
export function isRefusal(result: unknown): result is Refusal {
  return typeof result === "object" && result !== null && "refused" in result;
}

/** Returns the result. @throws ServiceError for a refusal */
export function unwrap<T>(result: T | Refusal): T {
  if (!isRefusal(result)) return result;
  const field = result.field === undefined ? {} : { field: result.field };
  throw new ServiceError(result.refused, result.message, field);
}
