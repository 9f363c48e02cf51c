import type { ErrorCode } from "#shared/errors/error-codes.ts";
import type { EdgeMiddleware } from "../../http/edge-context.ts";
import { sendFailure } from "../../http/errors.ts";
import type { PageFiles } from "../../pages/page-assets.ts";
import { problemKindOf, problemKinds } from "../../pages/page-errors.ts";
import { htmlType } from "../../pages/page-headers.ts";
import { problemPages } from "../../pages/problem-pages.ts";
import { problemView, type SettingsProblem } from "../shell/shell.ts";
import type { KeptForms } from "./kept-forms.ts";
import { clearSessionCookie } from "./session-cookie.ts";
import { settingsLanguage } from "./visits.ts";

const kinds: Readonly<Partial<Record<ErrorCode, SettingsProblem>>> = {
  ...problemKinds,
  unauthorized: "signedOut",
  failed_precondition: "invalid",
  conflict: "invalid",
};

/**
 * Converts every thrown error into an error page.
 *
 * @param signInUrl where merchants who are not signed in can open the settings; undefined if unknown
 */
export function settingsErrors(assets: PageFiles, kept: KeptForms, signInUrl: string | undefined): EdgeMiddleware {
  const render = problemPages<SettingsProblem>((...page) => problemView({ assets, signInUrl }, ...page));
  return async (ctx, next) => {
    try {
      await next();
    } catch (thrown) {
      const code = sendFailure(ctx, thrown);
      ctx.remove("WWW-Authenticate");
      if (code === "unauthorized") clearSessionCookie(ctx);
      ctx.set("Content-Type", htmlType);
      const kind = code === "unauthorized" && kept.isResumable(ctx) ? "signedOutKept" : problemKindOf(kinds, code, ctx);
      ctx.body = render(settingsLanguage(ctx), kind, ctx.state.target.rawQuery);
    }
  };
}
