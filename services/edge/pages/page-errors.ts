import type { ErrorCode } from "#shared/errors/error-codes.ts";
import type { EdgeMiddleware } from "../http/edge-context.ts";
import { sendFailure } from "../middleware/errors.ts";
import { visitorLanguage } from "./choose-language.ts";
import type { Language } from "./messages/languages.ts";
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
 * Converts every error thrown on a route of the verification pages into an error page.
 *
 * @param root relative URL of the folder that contains `assets/`, as seen from the page
 */
export function pageErrors(assets: PageAssets, root: string): EdgeMiddleware {
  // Each error page is rendered only once, because a refusal must be cheap.
  const rendered = new Map<string, Buffer>();
  const render = (language: Language, kind: ProblemKind): Buffer => {
    const key = `${language}/${kind}`;
    const page = rendered.get(key) ?? Buffer.from(String(problemPage(assets, language, root, kind)));
    rendered.set(key, page);
    return page;
  };
  return async (ctx, next) => {
    try {
      await next();
    } catch (thrown) {
      const code = sendFailure(ctx, thrown);
      const { "Cache-Control": _, ...headers } = pageHeaders;
      ctx.set({ ...headers, "Content-Type": htmlType, "Cache-Control": "no-store" });
      ctx.remove("ETag");
      ctx.body = render(visitorLanguage(ctx), kinds[code] ?? "internal");
    }
  };
}
