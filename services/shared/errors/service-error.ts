import type { ErrorCode } from "./error-codes.ts";

/** What an error carries beside its code and its public message. */
export interface ServiceErrorOptions {
  /** The field or parameter at fault. */
  readonly field?: string;
  /** What really happened: for the logs, never for the caller. */
  readonly cause?: unknown;
}

/**
 * The one error that crosses a service's border. Its `message` is public: a sentence that may be shown to the caller;
 * the internal reason is its `cause`.
 */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  /** The field or parameter at fault, or undefined. */
  readonly field: string | undefined;

  constructor(code: ErrorCode, message: string, options: ServiceErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "ServiceError";
    this.code = code;
    this.field = options.field;
  }
}

/** A `bad_request` that names the field. The message begins with the field's name, so that no caller has to add it. */
export function badRequest(field: string, problem: string): ServiceError {
  return new ServiceError("bad_request", `${field} ${problem}`, { field });
}
