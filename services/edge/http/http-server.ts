import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { discardBody, discardedBodyBytesMax } from "#shared/http/discard-body.ts";
import type { Logger } from "#shared/observe/logger.ts";
import type { Clock } from "#shared/time/clock.ts";
import { type ClientError, clientErrorResponse, isHeadRequest } from "./client-error.ts";
import { type LimitConnectionsDeps, limitConnections } from "./limit-connections.ts";
import { type RawErrorResponse, serializeErrorResponse } from "./raw-error-response.ts";

interface HttpServerDeps extends LimitConnectionsDeps {
  /** Handles each parsed request whose connection is open, except CONNECT. */
  readonly handler: RequestListener;
  readonly logger: Logger;
  readonly clock: Clock;
  /** Returns the maximum size of a request's body, in bytes. Default: {@link discardedBodyBytesMax}. */
  readonly bodyBytesMaxOf?: (request: IncomingMessage) => number;
  readonly timeouts: HttpTimeouts;
}

interface HttpTimeouts {
  /**
   * Maximum time from the start of the connection, or from the first byte of a later request, to the end of the
   * headers. Capped at `requestMs`.
   */
  readonly headersMs: number;
  /** Maximum time to receive a whole request. */
  readonly requestMs: number;
  /** Maximum time that the handler takes to respond; the inactivity timeout of connections exceeds it. */
  readonly responseMs: number;
  /**
   * Maximum idle time between requests. Must exceed the idle timeout of the ingress (usually 60 s): if the server
   * closes first, a request can arrive on a connection that is being closed.
   */
  readonly keepAliveMs: number;
  /** Interval between checks of `headersMs` and `requestMs`. Default 1,000. */
  readonly checkEveryMs?: number;
}

const limits = {
  // A key and a query take less than 3 KiB; the rest is for headers that proxies add.
  maxHeaderSize: 16 * 1_024,
  // Node's response to a missing Host has no body; validate-request.ts sends an error document.
  requireHostHeader: false,
} as const;

// The minimum inactivity timeout of a connection. The timeout disconnects clients that do not read their responses.
const idleSocketMinMs = 30_000;
const afterResponseMs = 5_000;

/**
 * Creates the public HTTP server; it does not listen yet. It sends an error document for a request that cannot be
 * parsed, unless the connection is lost or the client would attribute the document to another request.
 */
export function createHttpServer(deps: HttpServerDeps): Server {
  const { headersMs, requestMs, responseMs, keepAliveMs, checkEveryMs = 1_000 } = deps.timeouts;
  const timeouts = {
    headersTimeout: Math.min(headersMs, requestMs),
    requestTimeout: requestMs,
    keepAliveTimeout: keepAliveMs,
    connectionsCheckingInterval: checkEveryMs,
  };
  const server = createServer({ ...limits, ...timeouts }, (request, response) => {
    // Ignores a pipelined request that was parsed after its connection was closed.
    if (request.socket.destroyed) return;
    // No operation of the public API uses a body (INTERFACE.md §4.1). Middleware that needs the body of a form or of a
    // platform's message listens to the same chunks: collectForms, collectUploads, collectBodies.
    discardBody(request, response, deps.bodyBytesMaxOf?.(request) ?? discardedBodyBytesMax);
    deps.handler(request, response);
  });
  limitConnections(server, deps);
  server.timeout = Math.max(idleSocketMinMs, responseMs + afterResponseMs);
  // 0 means no limit. The ingress balances the load, and a limit would cost it a handshake for each new connection.
  server.maxRequestsPerSocket = 0;
  const detachPending = trackPendingResponses(server);
  const failed = new WeakSet<Socket>();
  const sendError = (socket: Socket, response: Omit<RawErrorResponse, "requestId" | "nowMs">) => {
    if (!detachPending(socket)) {
      socket.destroySoon();
      return;
    }
    const requestId = randomUUID();
    deps.logger.info({ status: response.status, requestId, error: response.code }, "request not parsed");
    lingeringClose(socket, serializeErrorResponse({ ...response, requestId, nowMs: deps.clock.now() }));
  };
  server.on("clientError", (error: ClientError, socket: Socket) => {
    // Node reports an error for each chunk that arrives after the first error.
    if (failed.has(socket)) return;
    failed.add(socket);
    const response = clientErrorResponse(error);
    if (response === undefined || !socket.writable) socket.destroy();
    else sendError(socket, { code: "bad_request", isHead: isHeadRequest(error), ...response });
  });
  // Responds to a public API request without sending "100 Continue" first, so that the client does not send a body that
  // the API ignores.
  server.on("checkContinue", (request, response) => {
    if (request.method === "POST" && !request.url?.startsWith("/v1/")) response.writeContinue();
    else response.setHeader("Connection", "close");
    server.emit("request", request, response);
  });
  // The handler rejects the expectation with an error document; Node's own response has no body.
  server.on("checkExpectation", (request, response) => server.emit("request", request, response));
  // Without this listener, Node closes the connection of a CONNECT without a response.
  server.on("connect", (_request, socket: Socket) => {
    const message = "CONNECT is not supported. Use GET or HEAD.";
    sendError(socket, { status: 405, code: "method_not_allowed", message, headers: { Allow: "GET, HEAD" } });
  });
  return server;
}

type Response = ServerResponse<IncomingMessage>;

/**
 * Tracks the requests in progress on each connection of a server.
 *
 * @returns a function that detaches the pending response, if any, from a connection, so that a raw response can be
 *   written in its place. The function returns false if the client would attribute the raw response to another request:
 *   an earlier request is in progress, or the invalid request already has its response.
 */
function trackPendingResponses(server: Server): (socket: Socket) => boolean {
  const tracked = new WeakMap<Socket, Response[]>();
  const pendingOn = (socket: Socket) => (tracked.get(socket) ?? []).filter(isPending);
  // Before Node 24.17, a response whose turn has not come never closes, and what its request takes up is never freed.
  const closeWaiting = (socket: Socket) => {
    for (const response of pendingOn(socket))
      if (response.socket === null && !response.destroyed) response.emit("close");
  };
  server.prependListener("request", ({ socket }: IncomingMessage, response: Response) => {
    // Ignores a pipelined request that was parsed after its connection was closed.
    if (socket.destroyed) return;
    if (!tracked.has(socket)) socket.once("close", () => closeWaiting(socket));
    tracked.set(socket, [...pendingOn(socket), response]);
  });
  return (socket) => {
    const [response, ...others] = pendingOn(socket);
    if (response === undefined) return true;
    if (others.length > 0 || response.headersSent || response.req.complete) return false;
    // Bytes that the handler writes later must not follow the raw response.
    response.detachSocket(socket);
    return true;
  };
}

// A request whose body is still arriving is pending even after its response: an invalid body must not get a second
// response.
function isPending(response: Response): boolean {
  return !(response.writableFinished && response.req.complete);
}

const lingerMs = 2_000;
const lingerBytesMax = 2 * 1_024 * 1_024;

/**
 * Sends the last bytes of a connection, then reads and discards input for at most 2 s and 2 MiB (RFC 9112 §9.6).
 * Closing a connection while the client is still sending resets it, and a reset can discard the response before the
 * client has read it.
 */
function lingeringClose(socket: Duplex, bytes: Buffer): void {
  let discarded = 0;
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  socket.once("close", () => clearTimeout(timer));
  // Detaches the HTTP parser.
  socket.removeAllListeners("data");
  socket.on("data", (chunk: Buffer) => {
    discarded += chunk.length;
    if (discarded > lingerBytesMax) socket.destroy();
  });
  socket.on("error", () => socket.destroy());
  socket.end(bytes);
  socket.resume();
}
