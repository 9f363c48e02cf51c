import type { IncomingHttpHeaders } from "node:http";
import { isbot } from "isbot";
import type { EdgeContext, EdgeMiddleware } from "../http/edge-context.ts";
import { isSameOrigin } from "../pages/same-origin.ts";
import type { VerificationClient } from "../registry-client/verification-client.ts";
import type { PageCache } from "./page-cache.ts";
import { linkTokenOf } from "./page-request.ts";

interface OpeningDeps {
  readonly pages: Pick<PageCache, "find" | "noteVerified">;
  readonly registry: Pick<VerificationClient, "recordOpening">;
}

// A transparent GIF of one pixel.
const pixel = Buffer.from("R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==", "base64");

/**
 * Creates the handlers that record the first opening of a page by a person: `script` for the POST of the page's script,
 * `image` for the GET of the page's image by a browser without scripts. Successful responses do not reveal whether
 * anything was recorded.
 */
export function recordOpening(deps: OpeningDeps): { readonly script: EdgeMiddleware; readonly image: EdgeMiddleware } {
  const { pages, registry } = deps;

  async function record(ctx: EdgeContext, kind: "script" | "image"): Promise<void> {
    ctx.set("Cache-Control", "no-store");
    const linkToken = linkTokenOf(ctx);
    const { isVerified } = await pages.find(linkToken, ctx.state.client.networks);
    if (isVerified || !isPersonOpening(ctx.headers, kind)) return;
    await registry.recordOpening(linkToken);
    pages.noteVerified(linkToken);
  }

  return {
    script: async (ctx) => {
      await record(ctx, "script");
      ctx.status = 204;
    },
    image: async (ctx) => {
      // A HEAD request must not change data.
      if (ctx.method === "GET") await record(ctx, "image");
      ctx.set({ "Content-Type": "image/gif", "Cache-Control": "no-store" });
      ctx.body = pixel;
    },
  };
}

const prefetchHeaders = ["sec-purpose", "purpose", "x-purpose", "x-moz"] as const;

/**
 * Returns whether a request to record an opening appears to come from a page in a person's browser. Crawlers and
 * services that show link previews usually name themselves in `User-Agent`; browsers mark requests from prefetched and
 * prerendered pages, and state in `Sec-Fetch-Site` whether a page of the same origin sent the request.
 *
 * @param kind how the page sent the request: with its script or, in a browser without scripts, by loading an image
 */
function isPersonOpening(headers: IncomingHttpHeaders, kind: "script" | "image"): boolean {
  const agent = headers["user-agent"] ?? "";
  if (agent === "" || isbot(agent)) return false;
  if (prefetchHeaders.some((name) => /prefetch|prerender|preview/i.test(String(headers[name] ?? "")))) return false;
  return isSameOrigin(headers) && isOneOf(headers["sec-fetch-dest"], kind === "script" ? "empty" : "image");
}

function isOneOf(value: string | string[] | undefined, expected: string): boolean {
  return value === undefined || value === expected;
}
