import type { EdgeMiddleware } from "./edge-context.ts";

/** A path with its handlers: `get` for GET and HEAD, `post` for POST. Other methods get 405. */
export interface Route {
  readonly path: string;
  readonly get?: readonly EdgeMiddleware[];
  readonly post?: readonly EdgeMiddleware[];
  /** Middleware around all handlers of the path, including the handler that refuses other methods. Default: none. */
  readonly around?: readonly EdgeMiddleware[];
}
