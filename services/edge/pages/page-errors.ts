import type { ErrorCode } from "#shared/errors/error-codes.ts";
import type { EdgeMiddleware } from "../http/edge-context.ts";
import { sendFailure } from "../middleware/errors.ts";
import { visitorLanguage } from "./choose-language.ts";
import type { ProblemKind } from "./messages/messages.ts";
import type { PageAssets } from "./page-assets.ts";
import { htmlType, pageHeaders } from "./page-headers.ts";
import { problemPage } from "./problem-page.ts";

const kinds: Readonly<Partial<Record<ErrorCode, ProblemKind>>> = {
  not_found: "notFound",
  unavailable: "unavailable",
  rate_limited: "limited",
  bad_request: "invalid",
  method_not_allowed: "invalid",
};

/**
 * Converts every thrown error into a page; for the routes that browsers open.
 *
 * @param root relative URL of the folder that contains `assets/`, as seen from the page
 */
export function pageErrors(assets: PageAssets, root: string): EdgeMiddleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (thrown) {
      const code = sendFailure(ctx, thrown);
      const { "Cache-Control": _, ...headers } = pageHeaders;
      ctx.set({ ...headers, "Content-Type": htmlType, "Cache-Control": "no-store" });
      ctx.remove("ETag");
      ctx.body = String(problemPage(assets, visitorLanguage(ctx), root, kinds[code] ?? "internal"));
    }
  };
}
