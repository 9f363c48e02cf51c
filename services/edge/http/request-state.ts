import { randomUUID } from "node:crypto";
import type { Network } from "#shared/address-guard/network.ts";
import { clientAddress } from "./client-address.ts";
import { defaultHeaders } from "./default-headers.ts";
import type { EdgeMiddleware } from "./edge-context.ts";
import { parseRequestTarget } from "./request-target.ts";

// Setting several headers with Koa's own method takes twice as long.
const headersOfEachResponse = Object.entries(defaultHeaders);

// The headers with which clients negotiate content (RFC 9110 §12.5), and their maximum length; browsers send some 150
// characters. The time to read a list that contains a quotation mark grows with the square of its length.
const preferences = ["accept", "accept-encoding", "accept-language"] as const;
const preferencesCharactersMax = 1_000;

/**
 * Initializes the state of a request and the headers of its response. The request id is always generated: an id sent by
 * the client is ignored, as are preferences of more than 1,000 characters. `req.url` is replaced by the path of the
 * request target, because the URL parsers of Koa and the router throw on some targets.
 *
 * @param proxies networks of the proxies whose `X-Forwarded-For` is trusted
 * @param timeoutMs time limit of a request
 */
export function requestState(proxies: readonly Network[], timeoutMs: number): EdgeMiddleware {
  return (ctx, next) => {
    const { req, res, state } = ctx;
    state.deadline = performance.now() + timeoutMs;
    const client = new AbortController();
    res.once("close", () => {
      if (!res.writableFinished) client.abort();
    });
    state.clientSignal = client.signal;
    state.requestId = randomUUID();
    state.target = parseRequestTarget(req.url ?? "");
    state.client = clientAddress(req.socket.remoteAddress, req.headersDistinct["x-forwarded-for"] ?? [], proxies);
    req.url = state.target.path;
    for (const name of preferences)
      if ((req.headers[name]?.length ?? 0) > preferencesCharactersMax) req.headers[name] = undefined;
    res.setHeader("X-Request-Id", state.requestId);
    for (const [name, value] of headersOfEachResponse) res.setHeader(name, value);
    return next();
  };
}
