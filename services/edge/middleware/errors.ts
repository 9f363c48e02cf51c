import { type ErrorCode, errorCodes } from "#shared/errors/error-codes.ts";
import { ServiceError } from "#shared/errors/service-error.ts";
import type { EdgeMiddleware } from "../http/edge-context.ts";
import { errorDocument, jsonType } from "../http/error-document.ts";
import { HttpStatusError } from "../http/http-status-error.ts";

const internalMessage =
  "Something went wrong on our side. Try again later; if it stays so, tell us the reply's X-Request-Id.";

const headersOf: Readonly<Partial<Record<ErrorCode, Record<string, string>>>> = {
  unauthorized: { "WWW-Authenticate": "Bearer" },
  // Seconds: long enough for the channel to a registry that has come back.
  unavailable: { "Retry-After": "1" },
};

/**
 * Turns whatever is thrown into an error document (INTERFACE.md §7). It stands outermost and is the only
 * place that does so; headers set before the error stay. An unknown error shows no detail.
 */
export function errors(): EdgeMiddleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (thrown) {
      const code = thrown instanceof ServiceError ? thrown.code : "internal";
      const message =
        thrown instanceof ServiceError && code !== "internal" ? thrown.message : internalMessage;
      ctx.state.failure = { code, thrown };
      ctx.status = thrown instanceof HttpStatusError ? thrown.status : errorCodes[code].http;
      ctx.set(headersOf[code] ?? {});
      ctx.set("Content-Type", jsonType);
      ctx.body = errorDocument(code, message);
    }
  };
}
