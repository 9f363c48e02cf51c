import { Code, ConnectError } from "@connectrpc/connect";
import { findTrailerError } from "@connectrpc/connect/protocol-grpc";
import { Metadata } from "@grpc/grpc-js";
import { headersOf } from "./metadata.ts";

/**
 * Converts an error of grpc-js to a ConnectError with the same code and details. Converts any other error with
 * `ConnectError.from`, by default to `internal`, but returns a ConnectError unchanged.
 */
export function connectErrorOf(error: unknown): ConnectError {
  if (error instanceof ConnectError) return error;
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "number")
    return ConnectError.from(error, Code.Internal);
  const details = "details" in error && typeof error.details === "string" ? error.details : error.message;
  const metadata = "metadata" in error && error.metadata instanceof Metadata ? error.metadata : new Metadata();
  const trailer = headersOf(metadata);
  trailer.set("grpc-status", String(error.code));
  trailer.set("grpc-message", encodeURIComponent(details));
  return findTrailerError(trailer) ?? new ConnectError(details, Code.Internal, undefined, undefined, error);
}

/** The cause of the ConnectError for a call that no server has received. */
export class CallNotSentError extends Error {
  constructor(cause: Error) {
    super(cause.message, { cause });
    this.name = "CallNotSentError";
  }
}

/** Returns whether a call failed because no server could be reached, so that the call had no effect. */
export function didNotReachServer(error: unknown): boolean {
  return error instanceof ConnectError && error.code === Code.Unavailable && error.cause instanceof CallNotSentError;
}

/** Converts the grpc-js error of a call that no server has received to an error caused by {@link CallNotSentError}. */
export function notSent(error: Error): ConnectError {
  const { code, rawMessage } = connectErrorOf(error);
  return new ConnectError(rawMessage, code, undefined, undefined, new CallNotSentError(error));
}
