import type { Language } from "#shared/texts/languages.ts";
import { textsFor } from "#shared/texts/texts.ts";
import { type Html, html } from "./html.ts";
import { directionOf } from "./languages.ts";
import type { PageFiles } from "./page-assets.ts";

/** The parts of a page. */
export interface PageFrame {
  readonly assets: PageFiles;
  readonly language: Language;
  /** URL of the folder that contains `assets/`, such as `../`; empty for the page's own folder. */
  readonly root: string;
  readonly title: string;
  /** Further elements of the head, such as the description of a link preview. */
  readonly head?: Html;
  /** URL to which the script reports that a person has opened the page. Default: no report. */
  readonly openedUrl?: string | undefined;
  /** Class of the body. Default: none. */
  readonly bodyClass?: string;
  /** Elements between the skip link and the content. */
  readonly header?: Html;
  readonly content: Html;
  readonly footer?: Html | undefined;
}

/** Renders a whole page. It loads no resources from other hosts and has no inline script or style. */
export function renderPage(frame: PageFrame): Html {
  const { assets, language, root, title, head, openedUrl, bodyClass, header, content, footer } = frame;
  const asset = (name: string) => `${root}assets/${name}`;
  return html`<!doctype html>
<html lang="${language}" dir="${directionOf(language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<meta name="robots" content="noindex, nofollow">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<link rel="preload" href="${asset(assets.font)}" as="font" type="font/woff2" crossorigin>
<link rel="stylesheet" href="${asset(assets.stylesheet)}">
<script src="${asset(assets.script)}" type="module"></script>
${head}
</head>
<body${bodyClass && html` class="${bodyClass}"`}${openedUrl === undefined ? "" : html` data-opened="${openedUrl}"`}>
<a class="skip" href="#content">${textsFor(language)("pages.skipToContent")}</a>
${header}
<main id="content" tabindex="-1">
${content}
</main>
${footer}
</body>
</html>
`;
}
