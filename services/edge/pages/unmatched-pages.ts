import { ServiceError } from "#shared/errors/service-error.ts";
import type { EdgeMiddleware } from "../http/edge-context.ts";

/** Handler of unknown paths below a page's path: the error page shows that the page does not exist. */
export const unknownPage: EdgeMiddleware = () => {
  throw new ServiceError("not_found", "There is no such page.");
};

/**
 * Redirects from a path with a trailing slash to the path without it, and keeps the query. The `Location` is relative,
 * because a proxy may serve the pages below another path.
 */
export const withoutSlash: EdgeMiddleware = (ctx) => {
  const { path, rawQuery } = ctx.state.target;
  const name = path.slice(path.lastIndexOf("/", path.length - 2) + 1, -1);
  ctx.status = 308;
  ctx.set("Location", `../${name}${rawQuery && `?${rawQuery}`}`);
};
