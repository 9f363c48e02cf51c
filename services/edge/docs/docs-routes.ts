import type { EdgeMiddleware } from "../http/edge-context.ts";
import { type Rendition, sendFixed, sendRendition, shortCaching, textRendition } from "../http/rendition.ts";
import type { Route } from "../http/route.ts";
import type { PageAssets } from "../pages/page-assets.ts";
import { htmlType, pageHeaders } from "../pages/page-headers.ts";
import { sendAsset } from "../pages/send-asset.ts";
import { changesFeed } from "./changes-feed.ts";
import { clientArchives } from "./client-archives.ts";
import { docsPage } from "./docs-page.ts";
import { explorerPage, explorerSlug } from "./explorer-page.ts";
import { firstPage, type GuidePage, loadGuide } from "./guide-pages.ts";
import { fullText, llmsText, markdownFor } from "./plain-texts.ts";

const markdownType = "text/markdown; charset=utf-8";
const atomType = "application/atom+xml; charset=utf-8";
const briefly = { "Cache-Control": shortCaching };
const plainType = "text/plain; charset=utf-8";

/**
 * Builds the routes of the guide for integrators: `/llms.txt`, and under `/docs` each page as HTML and as Markdown, the
 * API explorer, the assets of the pages, the texts for language models, the feed of changes, and the archives of the
 * client library.
 * All content is rendered once, at startup.
 */
export function docsRoutes(pageAssets: PageAssets): Route[] {
  const { docs: assets } = pageAssets;
  const guide = loadGuide();
  const text = (path: string, type: string, content: string): Route => ({
    path,
    get: [sendFixed(textRendition(type, Buffer.from(content)), briefly)],
  });
  const pageRoutes = guide.flatMap((page) => [
    {
      path: pathOf(page),
      get: [sendPage(page, textRendition(htmlType, Buffer.from(String(docsPage(assets, guide, page)))))],
    },
    text(`/docs/${page.slug}.md`, markdownType, page.markdown),
    // The Markdown of every page is at its path with `.md`, also that of the page at `/docs`.
    ...(page.slug === firstPage ? [text("/docs.md", markdownType, markdownFor(page, "docs/"))] : []),
  ]);
  const explorer = textRendition(htmlType, Buffer.from(String(explorerPage(pageAssets, guide))));
  return [
    { path: "/docs/assets/:name", get: [sendAsset(pageAssets, "/docs/assets/")] },
    text("/llms.txt", plainType, llmsText(guide, "docs/")),
    text("/docs/llms.txt", plainType, llmsText(guide, "")),
    text("/docs/llms-full.txt", plainType, fullText(guide)),
    ...pageRoutes,
    { path: `/docs/${explorerSlug}`, get: [sendFixed(explorer, { ...pageHeaders, ...briefly })] },
    ...["/docs/", `/docs/${firstPage}`].map((path) => ({ path, get: [redirectToFirstPage] })),
    ...guide
      .filter(({ slug }) => slug === "changes")
      .map((page) => text("/docs/changes.atom", atomType, changesFeed(page))),
    ...clientArchives(),
  ];
}

function pathOf({ slug }: GuidePage): string {
  return slug === firstPage ? "/docs" : `/docs/${slug}`;
}

/** Redirects from a path directly below `/docs/`. */
const redirectToFirstPage: EdgeMiddleware = (ctx) => {
  ctx.status = 308;
  ctx.set({ Location: "../docs", "Cache-Control": shortCaching });
};

/** Sends a page as HTML, or as Markdown to clients that prefer it. */
function sendPage(page: GuidePage, rendered: Rendition): EdgeMiddleware {
  const folder = page.slug === firstPage ? "docs/" : "";
  const markdown = textRendition(markdownType, Buffer.from(markdownFor(page, folder)));
  return (ctx) => {
    const isMarkdown = ctx.accepts("text/html", "text/markdown") === "text/markdown";
    ctx.set({ ...pageHeaders, ...briefly });
    sendRendition(ctx, isMarkdown ? markdown : rendered);
    ctx.vary("Accept");
  };
}
