import { type Html, html } from "./html.ts";
import { languageLinks } from "./language-links.ts";
import { type PageFrame, renderPage } from "./layout.ts";

interface Notice extends Pick<PageFrame, "assets" | "language" | "root" | "title" | "content"> {
  /** Content below the notice. Default: none. */
  readonly after?: Html | undefined;
  /** What the links to other languages keep. Default: nothing. */
  readonly query?: URLSearchParams | undefined;
}

export function noticePage({ assets, language, root, title, content, after, query }: Notice): Html {
  return renderPage({
    assets,
    language,
    root,
    title,
    content: html`<article class="card notice">
<div class="ornament" aria-hidden="true"></div>
<h1>${title}</h1>
${content}
</article>${after}`,
    footer: languageLinks(language, query),
  });
}
