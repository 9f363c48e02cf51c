import type { Middleware, ParameterizedContext } from "koa";
import type { ErrorCode } from "#shared/errors/error-codes.ts";
import type { ClientAddress } from "./client-address.ts";
import type { RequestTarget } from "./request-target.ts";

/** How a request failed: what the caller was told, and what the log shall say. */
export interface Failure {
  readonly code: ErrorCode;
  /** What was thrown. */
  readonly thrown: unknown;
}

/** What the middleware of one request tell each other. */
export interface EdgeState {
  /** Made here, never taken from outside; also in the reply's `X-Request-Id`. */
  requestId: string;
  target: RequestTarget;
  /** Where the request comes from; undefined when its connection is gone. */
  client?: ClientAddress | undefined;
  /** The route that was found; undefined for other paths. */
  route?: string;
  /** Set once the request is admitted, or refused for the store's plan or limit. */
  storeId?: string;
  /** Set when the reply is an error document. */
  failure?: Failure;
}

/** Koa's context with the edge's state. */
export type EdgeContext = ParameterizedContext<EdgeState>;

/** A middleware of the edge. */
export type EdgeMiddleware = Middleware<EdgeState>;
