import type { ErrorCode } from "#shared/errors/error-codes.ts";
import { ServiceError } from "#shared/errors/service-error.ts";
import { type Reason, reason } from "#shared/reasons/reason.ts";

/**
 * Why a change was refused. A change returns a refusal instead of throwing an error, which would fail the other changes
 * of the transaction.
 */
export interface Refusal {
  readonly refused: ErrorCode;
  readonly reason: Reason;
  /** The request field that caused the refusal. */
  readonly field?: string;
}

/** The refusal of a change to a certificate that the store does not have. */
export const unknownCertificate: Refusal = {
  refused: "not_found",
  reason: reason("no_such_certificate"),
  field: "certificate_id",
};

/** Returns whether a result is a refusal. */
export function isRefusal(result: unknown): result is Refusal {
  return typeof result === "object" && result !== null && "refused" in result;
}

/** Returns the result if it is not a refusal. @throws ServiceError for a refusal */
export function unwrap<T>(result: T | Refusal): T {
  if (!isRefusal(result)) return result;
  const field = result.field === undefined ? {} : { field: result.field };
  throw new ServiceError(result.refused, result.reason, field);
}
