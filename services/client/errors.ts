/** The documented error codes (INTERFACE.md §7); a later release of the service may add codes. */
export type ErrorCode =
  | "bad_request"
  | "unauthorized"
  | "plan_required"
  | "not_found"
  | "method_not_allowed"
  | "rate_limited"
  | "internal"
  | "unavailable"
  // Any other string; `& {}` lets editors still complete the codes above.
  | (string & {});

/** Base class of the errors that requests throw; an aborted request throws the signal's reason instead. */
export abstract class RegistryError extends Error {
  /** Whether the same request can succeed later. */
  abstract readonly isTemporary: boolean;
  /** How long to wait before the next attempt, in milliseconds; undefined if the service has not stated it. */
  abstract readonly retryAfterMs: number | undefined;
}

/** The content of an error response. */
export interface ErrorResponse {
  readonly status: number;
  readonly code: ErrorCode;
  readonly message: string;
  readonly requestId: string | undefined;
  readonly retryAfterMs: number | undefined;
}

/** A response with a status other than 200, or without certificates, for example from a wrong base URL. */
export class ApiError extends RegistryError {
  override readonly name = "ApiError";
  /** HTTP status. */
  readonly status: number;
  /** `unexpected_response` for a response that does not come from the service, such as a proxy's error page. */
  readonly code: ErrorCode;
  /** The `X-Request-Id` of the response, to quote when you contact support; undefined if the response has none. */
  readonly requestId: string | undefined;
  readonly retryAfterMs: number | undefined;

  constructor({ status, code, message, requestId, retryAfterMs }: ErrorResponse) {
    const quote = requestId === undefined ? "" : `, request ${requestId}`;
    super(`${message} (${status} ${code}${quote})`);
    this.status = status;
    this.code = code;
    this.requestId = requestId;
    this.retryAfterMs = retryAfterMs;
  }

  get isTemporary(): boolean {
    return this.status === 408 || this.status === 429 || this.status >= 500;
  }
}

/** The connection failed, or no complete response arrived in time; `cause` is the underlying error. */
export class ConnectionError extends RegistryError {
  override readonly name = "ConnectionError";
  readonly isTemporary = true;
  readonly retryAfterMs = undefined;
}
