import type { Language } from "#shared/texts/languages.ts";
import { textsFor } from "#shared/texts/texts.ts";
import type { EdgeContext, EdgeMiddleware } from "../http/edge-context.ts";
import { sendRendition, textRendition } from "../http/rendition.ts";
import type { Route } from "../http/route.ts";
import { notFound } from "../http/unmatched-requests.ts";
import { visitorLanguage } from "./choose-language.ts";
import { perLanguage } from "./format.ts";
import { type Html, html } from "./html.ts";
import { noticePage } from "./notice-page.ts";
import type { PageAssets } from "./page-assets.ts";
import { htmlType, pageHeaders } from "./page-headers.ts";

/** Builds the route `/`: a page for browsers that says what the service is; 404 for all other clients. */
export function startPageRoute(assets: PageAssets): Route {
  const pageIn = perLanguage((language) => textRendition(htmlType, Buffer.from(String(startPage(assets, language)))));
  const refuse = notFound();
  const show: EdgeMiddleware = (ctx, next) => {
    if (!prefersPages(ctx)) return refuse(ctx, next);
    ctx.set(pageHeaders);
    sendRendition(ctx, pageIn(visitorLanguage(ctx)));
    ctx.vary(["Accept", "Accept-Language"]);
  };
  return { path: "/", get: [show] };
}

/** Returns whether a client prefers a page: a client that accepts anything, such as curl, gets the API's documents. */
export function prefersPages(ctx: EdgeContext): boolean {
  ctx.vary("Accept");
  return ctx.accepts("application/json", "text/html") === "text/html";
}

/** Renders links to the guide and the settings, and further ones before them. @param root URL of `/`; empty there */
export function siteLinks(language: Language, root: string, before?: Html): Html {
  const text = textsFor(language);
  return html`
<div class="actions">${before}<a href="${root}docs">${text("pages.start.docs")}</a><a href="${root}settings">${text("pages.start.settings")}</a></div>`;
}

function startPage(assets: PageAssets, language: Language): Html {
  const text = textsFor(language);
  return noticePage({
    assets,
    language,
    root: "verify/",
    title: text("pages.start.title"),
    content: html`<p>${text("pages.start.lead")}</p>
<p>${text("pages.start.buyers")}</p>`,
    after: siteLinks(language, ""),
  });
}
