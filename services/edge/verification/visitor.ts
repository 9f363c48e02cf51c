import type { IncomingHttpHeaders } from "node:http";
import { isbot } from "isbot";
import { isSameOrigin } from "../pages/same-origin.ts";

const prefetchHeaders = ["sec-purpose", "purpose", "x-purpose", "x-moz"] as const;

/**
 * Returns whether a request to record an opening appears to come from a page in a person's browser. Crawlers and
 * services that show link previews usually name themselves in `User-Agent`; browsers mark requests from prefetched and
 * prerendered pages, and state in `Sec-Fetch-Site` whether a page of the same origin sent the request.
 *
 * @param kind how the page sent the request: with its script or, in a browser without scripts, by loading an image
 */
export function isPersonOpening(headers: IncomingHttpHeaders, kind: "script" | "image"): boolean {
  const agent = headers["user-agent"] ?? "";
  if (agent === "" || isbot(agent)) return false;
  if (prefetchHeaders.some((name) => /prefetch|prerender|preview/i.test(String(headers[name] ?? "")))) return false;
  return isSameOrigin(headers) && isOneOf(headers["sec-fetch-dest"], kind === "script" ? "empty" : "image");
}

function isOneOf(value: string | string[] | undefined, expected: string): boolean {
  return value === undefined || value === expected;
}
