import type { IncomingHttpHeaders } from "node:http";

/**
 * Returns whether a request names this server by an address of this machine. A page of another site whose name was
 * rebound to 127.0.0.1 sends that site's name instead.
 */
export function isLocalHost({ host }: IncomingHttpHeaders, port: number): boolean {
  return host === `127.0.0.1:${port}` || host === `localhost:${port}`;
}

/** Returns whether a page of this server sent the request. Browsers send `Origin` with every POST. */
export function isFromOwnPage({ host, origin, "sec-fetch-site": site }: IncomingHttpHeaders): boolean {
  return origin === `http://${host}` && (site === undefined || site === "same-origin");
}
