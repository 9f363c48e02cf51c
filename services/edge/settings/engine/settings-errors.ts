import type { ErrorCode } from "#shared/errors/error-codes.ts";
import type { Language } from "#shared/texts/languages.ts";
import type { EdgeMiddleware } from "../../http/edge-context.ts";
import { sendFailure } from "../../http/errors.ts";
import type { PageFiles } from "../../pages/page-assets.ts";
import { htmlType } from "../../pages/page-headers.ts";
import type { ProblemKind } from "../shell/shell.ts";
import { problemView } from "../shell/shell.ts";
import { clearSessionCookie } from "./session-cookie.ts";
import { settingsLanguage } from "./visits.ts";

const kinds: Readonly<Partial<Record<ErrorCode, ProblemKind>>> = {
  unauthorized: "signedOut",
  not_found: "notFound",
  unavailable: "unavailable",
  rate_limited: "limited",
  bad_request: "invalid",
  failed_precondition: "invalid",
  conflict: "invalid",
  method_not_allowed: "invalid",
};

/** Converts every thrown error into an error page. */
export function settingsErrors(assets: PageFiles): EdgeMiddleware {
  // Each page is rendered only once, so that a flood of refused requests costs little.
  const rendered = new Map<string, Buffer>();
  const render = (language: Language, kind: ProblemKind): Buffer => {
    const key = `${language}/${kind}`;
    const page = rendered.get(key) ?? Buffer.from(String(problemView(assets, language, kind)));
    rendered.set(key, page);
    return page;
  };
  return async (ctx, next) => {
    try {
      await next();
    } catch (thrown) {
      const code = sendFailure(ctx, thrown);
      ctx.remove("WWW-Authenticate");
      if (code === "unauthorized") clearSessionCookie(ctx);
      ctx.set("Content-Type", htmlType);
      ctx.body = render(settingsLanguage(ctx), kinds[code] ?? "internal");
    }
  };
}
