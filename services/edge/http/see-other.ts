import type { EdgeContext } from "./edge-context.ts";

/** Sends the browser to another page with a GET: 303 See Other (RFC 9110 §15.4.4). */
export function seeOther(ctx: EdgeContext, location: string): void {
  ctx.status = 303;
  ctx.set("Location", location);
}
