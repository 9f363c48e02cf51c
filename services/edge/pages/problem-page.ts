import { type Html, html } from "./html.ts";
import { languageLinks } from "./language-links.ts";
import { renderPage } from "./layout.ts";
import { type Language, messagesOf } from "./messages/languages.ts";
import type { ProblemKind } from "./messages/messages.ts";
import type { PageAssets } from "./page-assets.ts";

/** Renders an error page. It contains no certificate data. */
export function problemPage(assets: PageAssets, language: Language, root: string, kind: ProblemKind): Html {
  const { title, explanation } = messagesOf[language].problems[kind];
  const content = html`<article class="card notice">
<div class="ornament" aria-hidden="true"></div>
<h1>${title}</h1>
<p>${explanation}</p>
</article>`;
  return renderPage({ assets, language, root, title, content, footer: languageLinks(language) });
}
