import { type ErrorCode, errorCodes } from "#shared/errors/error-codes.ts";
import { ServiceError } from "#shared/errors/service-error.ts";
import type { EdgeContext, EdgeMiddleware } from "./edge-context.ts";
import { errorDocument, jsonType } from "./error-document.ts";

const internalMessage =
  "An internal error occurred. Try again later. If the problem persists, contact support and quote the X-Request-Id of the response.";

const headersOf: Readonly<Partial<Record<ErrorCode, Record<string, string>>>> = {
  unauthorized: { "WWW-Authenticate": "Bearer" },
};

const retryAfterMaxSeconds = 5;

/** A `bad_request` error with an HTTP status other than 400, such as 417. */
export class HttpStatusError extends ServiceError {
  readonly status: number;

  constructor(status: number, message: string) {
    super("bad_request", message);
    this.name = "HttpStatusError";
    this.status = status;
  }
}

/**
 * Records a failure and sets the status and headers of the response. A response with status 503 has a random
 * `Retry-After` of 1 to 5 seconds, unless the error states one. Headers set before the error are kept.
 *
 * @returns the error's public code
 */
export function sendFailure(ctx: EdgeContext, thrown: unknown, random = () => Math.random()): ErrorCode {
  const code = thrown instanceof ServiceError ? thrown.code : "internal";
  ctx.state.failure = { code, thrown };
  ctx.state.bodyParts = undefined;
  ctx.status = thrown instanceof HttpStatusError ? thrown.status : errorCodes[code].http;
  ctx.set(headersOf[code] ?? {});
  // Random, so that clients do not all retry at the same time after an outage or an overload.
  const otherwise = code === "unavailable" ? 1 + Math.floor(random() * retryAfterMaxSeconds) : undefined;
  const retryAfter = (thrown instanceof ServiceError ? thrown.retryAfterSeconds : undefined) ?? otherwise;
  if (retryAfter !== undefined) ctx.set("Retry-After", String(retryAfter));
  return code;
}

/**
 * Converts every thrown error into an error document (INTERFACE.md §7). The routes of the verification pages and the
 * settings convert their own errors into pages. Must enclose all middleware that can throw. The response to an unknown
 * error contains no detail.
 */
export function errors(random = () => Math.random()): EdgeMiddleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (thrown) {
      const code = sendFailure(ctx, thrown, random);
      const message = thrown instanceof ServiceError && code !== "internal" ? thrown.message : internalMessage;
      ctx.set("Content-Type", jsonType);
      ctx.body = errorDocument(code, message);
    }
  };
}
