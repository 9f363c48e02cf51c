import { ServiceError } from "#shared/errors/service-error.ts";
import type { Language } from "#shared/texts/languages.ts";
import { textsFor } from "#shared/texts/texts.ts";
import type { EdgeMiddleware } from "../http/edge-context.ts";
import { html } from "./html.ts";
import type { PageAssets } from "./page-assets.ts";
import { problemPage, sendProblemPage } from "./page-errors.ts";
import { problemPages } from "./problem-pages.ts";
import { prefersPages, siteLinks } from "./start-page.ts";

/** Handler of unknown paths below a page's path: the error page shows that the page does not exist. */
export const unknownPage: EdgeMiddleware = () => {
  throw new ServiceError("not_found", "There is no such page.");
};

/**
 * Redirects from a path with a trailing slash to the path without it, and keeps the query. The `Location` is relative,
 * because a proxy may serve the pages below another path.
 */
export const withoutSlash: EdgeMiddleware = (ctx) => {
  const { path, rawQuery } = ctx.state.target;
  const name = path.slice(path.lastIndexOf("/", path.length - 2) + 1, -1);
  ctx.status = 308;
  ctx.set("Location", `../${name}${rawQuery && `?${rawQuery}`}`);
};

/**
 * Returns middleware for the paths below a folder, of any depth.
 *
 * @param folder path with a slash at its end
 * @param at returns the middleware for pages from which `root` leads to the folder: a relative URL, because a proxy may
 *   serve the pages below another path, except for paths of more than three segments
 */
export function byDepth(folder: string, at: (root: string) => EdgeMiddleware): EdgeMiddleware {
  const near = ["", "../", "../../"].map(at);
  const far = at(folder);
  return (ctx, next) => {
    const depth = ctx.state.target.path.slice(folder.length).split("/").length - 1;
    return (near[depth] ?? far)(ctx, next);
  };
}

/**
 * Middleware around the handler of unknown paths: its error becomes a page for a browser, because people mistype a
 * printed address. The API's errors are documents for all clients (INTERFACE.md §7).
 */
export function unknownPath(assets: PageAssets): EdgeMiddleware {
  return byDepth("/", (root) => {
    const page = problemPages<"unknownPath">((language, kind, query) =>
      problemPage(assets, language, `${root}verify/`, kind, query, linksFrom(language, root)),
    );
    return async (ctx, next) => {
      const isRead = ctx.method === "GET" || ctx.method === "HEAD";
      if (!isRead || isOfApi(ctx.state.target.path) || !prefersPages(ctx)) return next();
      try {
        await next();
      } catch (thrown) {
        // Without the query: what it means is unknown, and a page without it is rendered only once.
        sendProblemPage(ctx, thrown, (language) => page(language, "unknownPath", ""));
        ctx.vary("Accept-Language");
      }
    };
  });
}

function isOfApi(path: string): boolean {
  return path === "/v1" || path.startsWith("/v1/");
}

function linksFrom(language: Language, root: string) {
  const start = html`<a href="${root || "./"}">${textsFor(language)("pages.start.title")}</a>`;
  return siteLinks(language, root, start);
}
