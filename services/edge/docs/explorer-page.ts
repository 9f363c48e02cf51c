import { type Html, html } from "../pages/html.ts";
import { renderPage } from "../pages/layout.ts";
import type { PageAssets } from "../pages/page-assets.ts";
import { sideMenu } from "./docs-page.ts";
import type { GuidePage } from "./guide-pages.ts";

/** Path segment of the explorer's page, below `/docs`. */
export const explorerSlug = "api";

/**
 * Renders the page that shows the OpenAPI document and sends requests, only to this edge, with the key of the reader.
 * The viewer is Swagger UI, in the colors and fonts of the guide.
 */
export function explorerPage({ explorer }: PageAssets, guide: readonly GuidePage[]): Html {
  const asset = (name: string) => `assets/${name}`;
  return renderPage({
    assets: explorer,
    language: "en",
    root: "",
    bodyClass: "docs explorer",
    title: "API explorer · Certificate registry",
    head: html`<meta name="description" content="Requests to the API from the browser, with a key of your own.">
<link rel="alternate" type="application/json" href="../v1/openapi.json">
<script src="${asset(explorer.viewer)}" defer></script>`,
    header: sideMenu(guide, { slug: explorerSlug, title: "API explorer" }),
    content: html`<div id="viewer"></div>
<noscript><p>This page requires JavaScript. Read the <a href="../v1/openapi.json">OpenAPI document</a> instead.</p></noscript>`,
  });
}
