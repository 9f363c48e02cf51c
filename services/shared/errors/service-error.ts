import { type Reason, reason } from "../reasons/reason.ts";
import { reasonText } from "../reasons/reason-text.ts";
import type { ErrorCode } from "./error-codes.ts";

/** Codes of refusals that a person reads, whose words are made from a {@link Reason} in that person's language. */
type ReasonedCode = "failed_precondition" | "conflict";

interface ErrorOptions {
  /** The field or parameter at fault. Default: the error does not concern a single one. */
  readonly field?: string;
  /** When the call may be repeated; the edge sends it as `Retry-After`. Default: not stated. */
  readonly retryAfterSeconds?: number | undefined;
  /** For the log. */
  readonly cause?: unknown;
}

/**
 * An error that services report to each other and to clients. Its `message` is public and shown to the caller; its
 * `cause` is for the log. It has no stack trace: most of these errors report a refusal, not a bug, and capturing a
 * trace would take a tenth of the time of a refused request.
 */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  /** The field or parameter at fault; undefined if the error does not concern a single one. */
  readonly field: string | undefined;
  /** Why the call was refused; undefined if only programs meet the error. */
  readonly why: Reason | undefined;
  /** When the call may be repeated; undefined if the error does not state it. */
  readonly retryAfterSeconds: number | undefined;

  constructor(code: Exclude<ErrorCode, ReasonedCode>, message: string, options?: ErrorOptions);
  /** @param options.message as a server sent it; default: the reason in English, after the field of a `bad_request` */
  constructor(code: ErrorCode, why: Reason, options?: ErrorOptions & { readonly message?: string });
  constructor(
    code: ErrorCode,
    why: string | Reason,
    { field, retryAfterSeconds, cause, message }: ErrorOptions & { readonly message?: string } = {},
  ) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message ?? messageOf(code, why, field), cause === undefined ? undefined : { cause });
    Error.stackTraceLimit = stackTraceLimit;
    this.name = "ServiceError";
    this.code = code;
    this.field = field;
    this.retryAfterSeconds = retryAfterSeconds;
    this.why = typeof why === "string" ? undefined : why;
  }
}

/**
 * Creates a `bad_request` error for a field. Its message begins with the field's name and a predicate.
 *
 * @param problem a reason, before which the message says `is invalid:`; or, if only programs can make the mistake, the
 *   predicate, such as `must be 1 to 100`
 */
export function badRequest(field: string, problem: string | Reason): ServiceError {
  return typeof problem === "string"
    ? new ServiceError("bad_request", `${field} ${problem}`, { field })
    : new ServiceError("bad_request", problem, { field });
}

export function hasCode(error: unknown, code: ErrorCode): error is ServiceError {
  return error instanceof ServiceError && error.code === code;
}

/** Returns whether an error is a ServiceError with the code `unavailable`, after which the caller may retry. */
export function isUnavailable(error: unknown): boolean {
  return hasCode(error, "unavailable");
}

/** Returns the value of a call, or undefined if the call fails with `not_found`. @throws any other error of the call */
export async function unlessNotFound<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (hasCode(error, "not_found")) return undefined;
    throw error;
  }
}

/** Returns why an error was reported, for a person; a general reason if the error is one that only programs meet. */
export function reasonOf({ code, why, field }: ServiceError): Reason {
  if (why !== undefined) return why;
  return code === "bad_request" && field !== undefined
    ? reason("entry_invalid", { field })
    : reason("unknown", { code });
}

function messageOf(code: ErrorCode, why: string | Reason, field: string | undefined): string {
  if (typeof why === "string") return why;
  const text = reasonText(why, "en");
  return code === "bad_request" && field !== undefined ? `${field} is invalid: ${text}` : text;
}
