import type { EdgeMiddleware } from "./edge-context.ts";

/** A path with its handlers of GET (and HEAD) and of POST. */
export interface Route {
  readonly path: string;
  readonly get?: readonly EdgeMiddleware[];
  readonly post?: readonly EdgeMiddleware[];
  /** Middleware that encloses all handlers of the path, also the one that refuses other methods. Default: none. */
  readonly around?: readonly EdgeMiddleware[];
}
