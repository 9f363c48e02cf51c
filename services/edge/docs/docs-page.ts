import { type Html, html } from "../pages/html.ts";
import { renderPage } from "../pages/layout.ts";
import type { PageFiles } from "../pages/page-assets.ts";
import { firstPage, type GuidePage, guideSections } from "./guide-pages.ts";
import { renderMarkdown } from "./render-markdown.ts";

/** Renders a page of the guide with its navigation. Links within this service are relative. */
export function docsPage(assets: PageFiles, guide: readonly GuidePage[], page: GuidePage): Html {
  const root = page.slug === firstPage ? "docs/" : "";
  const hrefOf = (target: string) => guideHref(target, page.slug);
  const { content, sections } = renderMarkdown(page.markdown, hrefOf);
  const link = ({ slug, title }: GuidePage) => html`<a href="${hrefOf(`${slug}.md`)}">${title}</a>`;
  const at = guide.indexOf(page);
  const neighbours = [guide[at - 1], guide[at + 1]] as const;
  return renderPage({
    assets,
    language: "en",
    root,
    bodyClass: "docs",
    title: `${page.title} · Certificate registry`,
    head: html`<meta name="description" content="${page.lead}">
<link rel="alternate" type="text/markdown" href="${root}${page.slug}.md">`,
    header: sideMenu(guide, page),
    content: html`<article>
${content}
</article>
<nav class="neighbours" aria-label="Previous and next page">
${neighbours.map((one, index) => one && html`<p class="${index === 0 ? "previous" : "next"}">${link(one)}</p>`)}
</nav>
<p class="source"><a href="${root}${page.slug}.md">This page as Markdown</a></p>`,
    footer: html`<nav class="contents" aria-label="On this page"><p>On this page</p>
<ul>${sections.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}</ul></nav>`,
  });
}

/** Renders the menu of all pages. @param current the page that shows it */
export function sideMenu(guide: readonly GuidePage[], current: Pick<GuidePage, "slug" | "title">): Html {
  const hrefOf = (target: string) => guideHref(target, current.slug);
  const entry = (href: string, slug: string, title: string) =>
    html`<li><a href="${href}"${slug === current.slug && html` aria-current="page"`}>${title}</a></li>`;
  const pageOf = (slug: string) => guide.filter((one) => one.slug === slug);
  const menu = html`${guideSections.map(
    ([name, slugs]) => html`<p>${name}</p>
<ul>${slugs.flatMap(pageOf).map(({ slug, title }) => entry(hrefOf(`${slug}.md`), slug, title))}
${name === "Reference" && entry(hrefOf("api"), "api", "API explorer")}</ul>`,
  )}`;
  return html`<header class="side">
<p class="brand"><a href="${hrefOf(`${firstPage}.md`)}">Certificate registry</a><span>for integrators</span></p>
<nav class="menu wide" aria-label="Pages">${menu}</nav>
<details class="narrow"><summary>${current.title}</summary><nav class="menu" aria-label="Pages">${menu}</nav></details>
</header>`;
}

/**
 * Returns the URL of a link in a page.
 *
 * @param target an anchor, a page's file name with or without an anchor, another path relative to the pages, or a URL
 *   with a scheme
 * @param from slug of the page that contains the link
 */
function guideHref(target: string, from: string): string {
  if (/^(\w+:|#)/.test(target)) return target;
  const [, slug, anchor = ""] = /^([\w-]+)\.md(#.*)?$/.exec(target) ?? [];
  const isFirst = from === firstPage;
  if (slug === firstPage) return `${isFirst ? "docs" : "../docs"}${anchor}`;
  const path = slug === undefined ? target : `${slug}${anchor}`;
  // `/docs` does not end with a slash, so browsers resolve the page's relative URLs against its parent folder.
  return isFirst ? `docs/${path}`.replace("docs/../", "") : path;
}
