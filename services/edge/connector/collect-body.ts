import type { IncomingMessage, ServerResponse } from "node:http";
import { badRequest, ServiceError } from "#shared/errors/service-error.ts";
import type { EdgeMiddleware } from "../http/edge-context.ts";
import { HttpStatusError } from "../middleware/errors.ts";

/** Maximum size of a message; an order with 250 lines has about 1 MiB. */
export const messageBytesMax = 5 * 1_024 * 1_024;

/** Maximum total size of the messages that are being received or handled. */
const allBytesMax = 64 * 1_024 * 1_024;

/** Returns whether a request may be a message of a storefront platform, whose body may be larger than other bodies. */
export function isForConnector({ method, url }: Pick<IncomingMessage, "method" | "url">): boolean {
  return method === "POST" && url?.startsWith("/storefront/") === true;
}

/**
 * Collects the raw bodies of messages of storefront platforms. Must run before any middleware that waits: the server
 * discards the parts of a body that arrive before this middleware runs.
 *
 * The body's promise rejects with HttpStatusError 413 for a body over {@link messageBytesMax}, with ServiceError
 * `unavailable` while too many bodies are being received or handled, and with `bad_request` for an incomplete body.
 */
export function collectBodies(bytesMax = allBytesMax): EdgeMiddleware {
  let bytesUsed = 0;
  const collect = (request: IncomingMessage, response: ServerResponse) =>
    new Promise<Buffer>((resolve, reject) => {
      const chunks: Buffer[] = [];
      let length = 0;
      let isRefused = false;
      const refuse = (error: Error) => {
        isRefused = true;
        chunks.length = 0;
        reject(error);
      };
      request.on("data", (chunk: Buffer) => {
        if (isRefused) return;
        if (length + chunk.length > messageBytesMax) return refuse(tooLarge());
        if (bytesUsed + chunk.length > bytesMax) return refuse(tooMany());
        length += chunk.length;
        bytesUsed += chunk.length;
        chunks.push(chunk);
      });
      request.once("end", () => resolve(Buffer.concat(chunks)));
      request.once("close", () => reject(badRequest("body", "did not arrive completely")));
      response.once("close", () => {
        bytesUsed -= length;
      });
    });
  return (ctx, next) => {
    if (isForConnector(ctx.req)) {
      const body = collect(ctx.req, ctx.res);
      // Prevents an unhandled rejection if no handler uses the body. A handler that awaits it still gets the error.
      body.catch(() => undefined);
      ctx.state.body = body;
    }
    return next();
  };
}

function tooLarge(): HttpStatusError {
  return new HttpStatusError(413, `The body is larger than ${messageBytesMax} bytes.`);
}

function tooMany(): ServiceError {
  return new ServiceError("unavailable", "Too many messages are being received. Try again in a few seconds.");
}
