import type { IncomingHttpHeaders } from "node:http";

/**
 * Returns whether the `Host` header is 127.0.0.1 or localhost with this server's port. After DNS rebinding, a page of
 * another site sends the name of that site instead.
 */
export function isLocalHost({ host }: IncomingHttpHeaders, port: number): boolean {
  return host === `127.0.0.1:${port}` || host === `localhost:${port}`;
}

/** Returns whether a page of this server sent the request. Browsers send `Origin` with every POST. */
export function isFromOwnPage({ host, origin, "sec-fetch-site": site }: IncomingHttpHeaders): boolean {
  return origin === `http://${host}` && (site === undefined || site === "same-origin");
}
