import type { EdgeContext } from "../http/edge-context.ts";
import { unknownLink } from "./look-ups.ts";

// Allows more characters than any link token has; the registry checks the exact format.
const linkToken = /^\/verify\/([0-9a-z_]{1,40})(?:\/|$)/;

/** Returns the link token in the path of a request. @throws ServiceError `not_found` for a path that contains none */
export function linkTokenOf(ctx: EdgeContext): string {
  const token = linkToken.exec(ctx.state.target.path)?.[1];
  if (token === undefined) throw unknownLink();
  return token;
}
