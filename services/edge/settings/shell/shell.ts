import { type Html, html } from "../../pages/html.ts";
import { languageLinks, languageMenu } from "../../pages/language-links.ts";
import { renderPage } from "../../pages/layout.ts";
import type { Language } from "../../pages/messages/languages.ts";
import type { PageFiles } from "../../pages/page-assets.ts";
import { fieldId } from "../components/field-id.ts";
import { type Section, settingsPath, type View, type Visit } from "../model/settings-page.ts";
import { sectionIcon } from "./icons.ts";
import { type ProblemKind, problemTexts } from "./problem-texts.ts";
import { shellTexts } from "./texts.ts";

const root = `${settingsPath}/`;

const pathOf: Readonly<Record<Section, string>> = {
  overview: "",
  certificates: "/certificates",
  reports: "/reports",
  storefront: "/storefront",
  webhook: "/webhook",
  deliveries: "/deliveries",
  triggers: "/triggers",
  keys: "/keys",
  store: "/store",
  plan: "/plan",
  history: "/history",
};

const groups = [
  [undefined, ["overview"]],
  ["certificates", ["certificates", "reports"]],
  ["integration", ["storefront", "webhook", "deliveries", "triggers", "keys"]],
  ["store", ["store", "plan", "history"]],
] as const;

/** Renders a page of the settings with the navigation around it. */
export function renderShell(assets: PageFiles, visit: Visit, section: Section, view: View): Html {
  const { language, session } = visit;
  const texts = shellTexts[language];
  return renderPage({
    assets,
    language,
    root,
    bodyClass: "settings",
    title: `${view.title} · ${session.storeName}`,
    header: html`<div class="side">
<header class="brand">
<a href="${root.slice(0, -1)}"><bdi>${session.storeName}</bdi></a>
<span class="shop"><bdi>${session.shop}</bdi></span>
</header>
<nav class="menu wide" aria-label="${texts.settings}">${menu(language, section)}</nav>
<details class="narrow"><summary>${sectionIcon(section)}<span>${texts.menu}</span></summary>
<nav class="menu" aria-label="${texts.settings}">${menu(language, section)}</nav>
</details>
</div>`,
    content: html`${view.parent && html`<p class="parent"><a href="${settingsPath}${view.parent.path}">${view.parent.title}</a></p>`}
<h1>${view.title}</h1>
${view.lead && html`<p class="lead">${view.lead}</p>`}
${visit.refused ? mistakeList(visit) : view.notice && html`<p class="banner good" role="status">${view.notice}</p>`}
${view.content}`,
    footer: html`<footer class="foot">
<form class="session" method="post" action="${settingsPath}/sign-out">
<input type="hidden" name="token" value="${visit.formToken}">
<span>${texts.signedInAs(session.actor)}</span>
<button class="quiet" type="submit">${texts.signOut}</button>
</form>
${languageMenu(language, visit.query)}
</footer>`,
  });
}

/**
 * Renders a page without navigation, for sign-in, sign-out and errors.
 *
 * @param query what the links to other languages keep. Default: nothing
 */
export function renderBare(
  assets: PageFiles,
  language: Language,
  title: string,
  content: Html,
  query?: URLSearchParams,
): Html {
  return renderPage({
    assets,
    language,
    root,
    title,
    content: html`<article class="card notice">
<div class="ornament" aria-hidden="true"></div>
<h1>${title}</h1>
${content}
</article>`,
    footer: languageLinks(language, query),
  });
}

/** Renders an error page. */
export function problemView(assets: PageFiles, language: Language, kind: ProblemKind): Html {
  const { title, explanation } = problemTexts[language][kind];
  return renderBare(assets, language, title, html`<p>${explanation}</p>`);
}

function menu(language: Language, current: Section): Html {
  const texts = shellTexts[language];
  return html`${groups.map(
    ([group, sections]) => html`${group && html`<p>${texts.groups[group]}</p>`}
<ul>
${sections.map(
  (section) => html`<li><a href="${settingsPath}${pathOf[section]}"${
    section === current ? html` aria-current="page"` : ""
  }>${sectionIcon(section)}${texts.sections[section]}</a></li>
`,
)}</ul>
`,
  )}`;
}

const colons: Readonly<Partial<Record<Language, string>>> = { fr: "\u00A0: ", ja: "：" };

function mistakeList({ refused, language }: Visit): Html | undefined {
  if (refused === undefined) return undefined;
  const { action, scope, mistakes, labels } = refused;
  const items = mistakes.map(({ field, text }) => {
    const label = labels.get(field);
    const named = label === undefined ? text : `${label}${colons[language] ?? ": "}${text}`;
    return field === ""
      ? html`<li>${text}</li>`
      : html`<li><a href="#${fieldId(action, scope, field)}">${named}</a></li>`;
  });
  return html`<div class="banner bad" role="alert" tabindex="-1" data-mistakes>
<p>${shellTexts[language].mistakes}</p>
<ul>${items}</ul>
</div>`;
}
