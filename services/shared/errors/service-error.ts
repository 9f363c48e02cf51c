import type { ErrorCode } from "./error-codes.ts";

/**
 * An error that services report to each other and to clients. Its `message` is public and shown to the caller; its
 * `cause` is for the log. It has no stack trace: most of these errors report a refusal, not a bug, and capturing a
 * trace would take a tenth of the time of a refused request.
 */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  /** The field or parameter at fault; undefined if the error does not concern a single one. */
  readonly field: string | undefined;

  constructor(code: ErrorCode, message: string, options: { readonly field?: string; readonly cause?: unknown } = {}) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    Error.stackTraceLimit = stackTraceLimit;
    this.name = "ServiceError";
    this.code = code;
    this.field = options.field;
  }
}

/** Creates a `bad_request` error for a field. The message consists of the field's name and the problem. */
export function badRequest(field: string, problem: string): ServiceError {
  return new ServiceError("bad_request", `${field} ${problem}`, { field });
}

/** Returns whether an error is a ServiceError with the code `unavailable`, after which the caller may retry. */
export function isUnavailable(error: unknown): boolean {
  return error instanceof ServiceError && error.code === "unavailable";
}
