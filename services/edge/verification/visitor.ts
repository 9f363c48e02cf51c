import type { IncomingHttpHeaders } from "node:http";
import { isbot } from "isbot";

const prefetchHeaders = ["sec-purpose", "purpose", "x-purpose", "x-moz"] as const;

/**
 * Returns whether a request to record an opening comes from the page in a person's browser. Link previews, crawlers and
 * other programs name themselves in `User-Agent`; browsers that load a page in advance say so, and name the site that
 * sent the request in `Sec-Fetch-Site`.
 *
 * @param kind what the page sends: a request of its script, or an image where there is no script
 */
export function isPersonOpening(headers: IncomingHttpHeaders, kind: "script" | "image"): boolean {
  const agent = headers["user-agent"] ?? "";
  if (agent === "" || isbot(agent)) return false;
  if (prefetchHeaders.some((name) => /prefetch|prerender|preview/i.test(String(headers[name] ?? "")))) return false;
  return isSameSite(headers) && isOneOf(headers["sec-fetch-dest"], kind === "script" ? "empty" : "image");
}

/** Returns whether a page of the same origin sent the request; true for browsers that do not name the sender. */
export function isSameSite(headers: IncomingHttpHeaders): boolean {
  return isOneOf(headers["sec-fetch-site"], "same-origin");
}

function isOneOf(value: string | string[] | undefined, expected: string): boolean {
  return value === undefined || value === expected;
}
