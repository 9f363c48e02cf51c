import { randomUUID } from "node:crypto";
import { createServer, type RequestListener, type Server } from "node:http";
import type { Socket } from "node:net";
import type { Registry } from "prom-client";
import type { Network } from "#shared/address-guard/network.ts";
import type { Logger } from "#shared/observe/logger.ts";
import type { Clock } from "#shared/time/clock.ts";
import type { ConnectionLimits } from "../limits/connection-table.ts";
import { answerClientError, type ClientError, isAboutHead } from "./client-error.ts";
import { limitConnections } from "./limit-connections.ts";
import { lingeringClose } from "./lingering-close.ts";
import { watchExchanges } from "./open-exchanges.ts";
import { type RawReply, rawReplyBytes } from "./raw-reply.ts";
import { ignoreBody } from "./request-body.ts";

/** What the public HTTP server is made of. */
export interface HttpServerDeps {
  /** Answers every request that could be read. */
  readonly handler: RequestListener;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly timeouts: HttpTimeouts;
  readonly connections: ConnectionLimits;
  /** Who may have more connections than one address may, since many clients share them. */
  readonly trustedProxies: readonly Network[];
  readonly metrics: Registry;
}

/** How long a client may take. */
export interface HttpTimeouts {
  /** From the connection, or the end of the last request, to the end of the headers; at most the whole request's. */
  readonly headersMs: number;
  /** To the end of the whole request. */
  readonly requestMs: number;
  /**
   * From one request to the next. Must be longer than the time after which an ingress drops an idle connection (usually
   * 60 s): the side that sends requests must close first, or a request meets a connection that is being closed.
   */
  readonly keepAliveMs: number;
  /** How often they are looked at. Default 1,000. */
  readonly checkEveryMs?: number;
}

const limits = {
  // A key and a query take under 3 KiB; the rest is for what proxies add.
  maxHeaderSize: 16 * 1_024,
  // Node's own answer to a missing Host has no body; the middleware well-formed.ts has one.
  requireHostHeader: false,
} as const;

// A client that reads nothing of its reply: longer than two calls to the registry can take.
const idleSocketTimeoutMs = 30_000;

/** The public HTTP server, not listening yet. What cannot be read as a request gets an error document like the others. */
export function createHttpServer(deps: HttpServerDeps): Server {
  const { headersMs, requestMs, keepAliveMs, checkEveryMs = 1_000 } = deps.timeouts;
  const timeouts = {
    headersTimeout: Math.min(headersMs, requestMs),
    requestTimeout: requestMs,
    keepAliveTimeout: keepAliveMs,
    connectionsCheckingInterval: checkEveryMs,
  };
  const server = createServer({ ...limits, ...timeouts }, (request, response) => {
    // One of many that stood in the last bytes of a connection that is closed.
    if (request.socket.destroyed) return;
    ignoreBody(request, response);
    deps.handler(request, response);
  });
  limitConnections(server, deps);
  server.timeout = idleSocketTimeoutMs;
  // 0: no limit. Balancing is the ingress's business, and a cut connection costs a TLS handshake there.
  server.maxRequestsPerSocket = 0;
  const exchanges = watchExchanges(server);
  const answered = new WeakSet<Socket>();
  const refuse = (socket: Socket, reply: Omit<RawReply, "requestId" | "nowMs">) => {
    if (!exchanges.takeOver(socket)) {
      socket.destroySoon();
      return;
    }
    const requestId = randomUUID();
    deps.logger.info({ status: reply.status, requestId, error: reply.code }, "request refused unread");
    lingeringClose(socket, rawReplyBytes({ ...reply, requestId, nowMs: deps.clock.now() }));
  };
  server.on("clientError", (error: ClientError, socket: Socket) => {
    // Each further chunk that arrives after the first error is reported, too.
    if (answered.has(socket)) return;
    answered.add(socket);
    const answer = answerClientError(error);
    if (answer === undefined || !socket.writable) socket.destroy();
    else refuse(socket, { code: "bad_request", isHead: isAboutHead(error), ...answer });
  });
  // Nobody wants the body: with the reply instead of "100 Continue", the client need not send it.
  server.on("checkContinue", (request, response) => {
    response.setHeader("Connection", "close");
    server.emit("request", request, response);
  });
  // The handler refuses the expectation; Node alone would answer without a body.
  server.on("checkExpectation", (request, response) => server.emit("request", request, response));
  // Without this listener, Node drops the connection of a CONNECT without a word.
  server.on("connect", (_request, socket: Socket) => {
    const message = "CONNECT is not allowed here. Use GET or HEAD.";
    refuse(socket, { status: 405, code: "method_not_allowed", message, headers: { Allow: "GET, HEAD" } });
  });
  return server;
}
