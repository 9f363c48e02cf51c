import type { IncomingHttpHeaders } from "node:http";

/** Returns whether a page of the same origin sent the request; true if the client does not send `Sec-Fetch-Site`. */
export function isSameOrigin(headers: IncomingHttpHeaders): boolean {
  const site = headers["sec-fetch-site"];
  return site === undefined || site === "same-origin";
}
