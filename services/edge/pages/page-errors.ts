import type { ErrorCode } from "#shared/errors/error-codes.ts";
import type { Language } from "#shared/texts/languages.ts";
import { textsFor } from "#shared/texts/texts.ts";
import type { EdgeContext, EdgeMiddleware } from "../http/edge-context.ts";
import { sendFailure } from "../http/errors.ts";
import { visitorLanguage } from "./choose-language.ts";
import { type Html, html } from "./html.ts";
import { noticePage } from "./notice-page.ts";
import type { PageAssets } from "./page-assets.ts";
import { htmlType, pageHeaders } from "./page-headers.ts";
import { problemPages } from "./problem-pages.ts";

// A form did not arrive in time.
const timeoutStatus = 408;

/** The kind of page for an error's code; see {@link problemKindOf}. */
export const problemKinds: Readonly<Partial<Record<ErrorCode, ProblemKind>>> = {
  not_found: "notFound",
  unavailable: "unavailable",
  rate_limited: "limited",
  bad_request: "invalid",
  method_not_allowed: "invalid",
};

/**
 * Returns the kind of page for a response that {@link sendFailure} has prepared.
 *
 * @param kinds the kinds for the codes of errors; `internal` for any other code
 */
export function problemKindOf<Kind extends string>(
  kinds: Readonly<Partial<Record<ErrorCode, Kind>>>,
  code: ErrorCode,
  { status }: Pick<EdgeContext, "status">,
): Kind | ProblemKind {
  return status === timeoutStatus ? "slow" : (kinds[code] ?? "internal");
}

/**
 * Converts every error thrown on a route of the verification pages into an error page.
 *
 * @param root relative URL of the folder that contains `assets/`, as seen from the page
 */
export function pageErrors(assets: PageAssets, root: string): EdgeMiddleware {
  const render = problemPages<ProblemKind>((language, kind, query) => problemPage(assets, language, root, kind, query));
  return async (ctx, next) => {
    try {
      await next();
    } catch (thrown) {
      sendProblemPage(ctx, thrown, (language, code) =>
        render(language, problemKindOf(problemKinds, code, ctx), ctx.state.target.rawQuery),
      );
    }
  };
}

/** Sends an error page in the visitor's language. */
export function sendProblemPage(
  ctx: EdgeContext,
  thrown: unknown,
  render: (language: Language, code: ErrorCode) => Buffer | string,
): void {
  const code = sendFailure(ctx, thrown);
  const { "Cache-Control": _, ...headers } = pageHeaders;
  ctx.set({ ...headers, "Content-Type": htmlType, "Cache-Control": "no-store" });
  ctx.remove("ETag");
  ctx.body = render(visitorLanguage(ctx), code);
}

/** Why a page cannot be shown. */
export type ProblemKind = "notFound" | "unavailable" | "limited" | "invalid" | "slow" | "internal";

/**
 * Renders an error page. It contains no certificate data.
 *
 * @param kind `unknownPath`: no page, of certificates or otherwise, has such a path
 * @param query what the links to other languages keep
 * @param after content below the notice. Default: none
 */
export function problemPage(
  assets: PageAssets,
  language: Language,
  root: string,
  kind: ProblemKind | "unknownPath",
  query?: URLSearchParams,
  after?: Html,
): Html {
  const text = textsFor(language);
  const content = html`<p>${text(`pages.problems.${kind}.explanation`)}</p>`;
  return noticePage({ assets, language, root, title: text(`pages.problems.${kind}.title`), content, query, after });
}
