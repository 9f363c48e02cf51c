import { supportedLanguages } from "#shared/text/supported-languages.ts";
import { type Html, html } from "./html.ts";
import { type Language, messagesOf } from "./messages/languages.ts";

/** Renders the footer in which a visitor switches the language of the page. */
export function languageLinks(current: Language): Html {
  return html`<footer>
${languageMenu(current)}
</footer>`;
}

/** Renders the links that switch the language of the page. */
export function languageMenu(current: Language): Html {
  return html`<nav class="languages" aria-label="${messagesOf[current].language}">
<ul>
${supportedLanguages.map(
  (language) =>
    html`<li><a href="?lang=${language}" lang="${language}" hreflang="${language}"${
      language === current ? html` aria-current="true"` : ""
    }>${messagesOf[language].languageName}</a></li>
`,
)}</ul>
</nav>`;
}
