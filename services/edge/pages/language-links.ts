import type { Language } from "#shared/texts/languages.ts";
import { supportedLanguages } from "#shared/texts/languages.ts";
import { textsFor } from "#shared/texts/texts.ts";
import { type Html, html } from "./html.ts";

/** Renders the footer in which a visitor switches the language of the page; parameters as for {@link languageMenu}. */
export function languageLinks(current: Language, query?: URLSearchParams): Html {
  return html`<footer>
${languageMenu(current, query)}
</footer>`;
}

/**
 * Renders the links that switch the language of the page.
 *
 * @param query the page's query, which the links keep, except for a confirmation (`done`). Default: empty
 */
export function languageMenu(current: Language, query?: URLSearchParams): Html {
  const linkTo = (language: Language) => {
    const entries = [...(query ?? [])].filter(([name]) => name !== "lang" && name !== "done");
    return `?${new URLSearchParams([...entries, ["lang", language]])}`;
  };
  return html`<nav class="languages" aria-label="${textsFor(current)("pages.language")}">
<ul>
${supportedLanguages.map(
  (language) =>
    html`<li><a href="${linkTo(language)}" lang="${language}" hreflang="${language}"${
      language === current ? html` aria-current="true"` : ""
    }>${textsFor(language)("pages.languageName")}</a></li>
`,
)}</ul>
</nav>`;
}
