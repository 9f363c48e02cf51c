import type { Language } from "#shared/texts/languages.ts";
import { textsFor } from "#shared/texts/texts.ts";
import { sentAgain } from "../../pages/form-parts.ts";
import { colonOf } from "../../pages/format.ts";
import { type Html, html, raw } from "../../pages/html.ts";
import { languageMenu } from "../../pages/language-links.ts";
import { renderPage } from "../../pages/layout.ts";
import { noticePage } from "../../pages/notice-page.ts";
import type { PageFiles } from "../../pages/page-assets.ts";
import type { ProblemKind } from "../../pages/page-errors.ts";
import { link } from "../components/content.ts";
import { fieldId } from "../components/form-entries.ts";
import { type Section, settingsPath, type View, type Visit } from "../model/settings-page.ts";
import { actorName } from "../words/actor.ts";

const paths: Readonly<Record<Section, string>> = {
  overview: '<path d="M4 13.5a8 8 0 1 1 16 0M12 13.5l3.5-4M4 13.5v3h16v-3"/>',
  certificates: '<path d="M5 4h14v12H5zM8.5 8h7M8.5 11.5h4"/><path d="M14 14.5v6l2-1.6 2 1.6v-6"/>',
  products: '<path d="M4 5h16v14H4zM4 16l4.500-4.500 3.500 3.500 3-3 5 5"/><circle cx="15.500" cy="8.500" r="1.500"/>',
  reports: '<path d="M6 21V4M6 5h11l-2.5 3.5L17 12H6"/>',
  storefront:
    '<path d="M5 10v10h14V10M3.500 9l2-5h13l2 5a2.800 2.800 0 0 1-5.600 0 2.800 2.800 0 0 1-5.700 0 2.800 2.800 0 0 1-5.700 0zM10 20v-5h4v5"/>',
  webhook: '<path d="M13 3L5 14h6l-1 7 8-11h-6z"/>',
  deliveries: '<path d="M4 6h16v12H4zM4 7l8 6 8-6"/>',
  triggers:
    '<circle cx="6" cy="6" r="2.5"/><circle cx="6" cy="18" r="2.5"/><circle cx="18" cy="12" r="2.5"/><path d="M6 8.500v7M8.500 6h4a3 3 0 0 1 3 3.500M8.500 18h4a3 3 0 0 0 3-3.500"/>',
  keys: '<circle cx="8" cy="15" r="4"/><path d="M11 12l8-8M16 7l3 3M13.5 9.5l2 2"/>',
  store: '<path d="M4 20l1-4L16 5l3 3L8 19zM13.5 7.5l3 3"/>',
  plan: '<path d="M12 3l2.6 5.6 6 .7-4.5 4.1 1.2 6-5.3-3-5.3 3 1.2-6L3.4 9.3l6-.7z"/>',
  history: '<path d="M4.5 12a7.5 7.5 0 1 0 2.4-5.5L4.5 8.800M4.5 4.5v4.3h4.3M12 8v4.500l3 1.8"/>',
};

/** Renders the icon of a section, hidden from screen readers because the label beside it says the same. */
function sectionIcon(section: Section): Html {
  return html`<svg class="icon" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.7" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${raw(paths[section])}</svg>`;
}

const root = `${settingsPath}/`;

const pathOf = (section: Section) => (section === "overview" ? settingsPath : `${settingsPath}/${section}`);

const groups = [
  [undefined, ["overview"]],
  ["certificates", ["certificates", "products", "reports"]],
  ["integration", ["storefront", "webhook", "deliveries", "triggers", "keys"]],
  ["store", ["store", "plan", "history"]],
] as const;

/** Renders a page of the settings with the navigation around it. */
export function renderShell(assets: PageFiles, visit: Visit, section: Section, view: View): Html {
  const { language, text, session } = visit;
  return renderPage({
    assets,
    language,
    root,
    bodyClass: "settings",
    title: `${view.title} · ${session.storeName}`,
    header: html`<div class="side">
<header class="brand">
<a href="${root.slice(0, -1)}"><bdi>${session.storeName}</bdi></a>
${session.storeName !== session.shop && html`<span class="shop"><bdi>${session.shop}</bdi></span>`}
</header>
<nav class="menu wide" aria-label="${text("settings.shell.settings")}">${menu(visit, section)}</nav>
<details class="narrow"><summary>${sectionIcon(section)}<span>${text("settings.shell.menu")}</span></summary>
<nav class="menu" aria-label="${text("settings.shell.settings")}">${menu(visit, section)}</nav>
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
<span>${text("settings.shell.signedInAs", { name: actorName(session.actor, language) })}</span>
<button class="quiet" type="submit">${text("settings.shell.signOut")}</button>
</form>
${languageMenu(language, visit.query)}
</footer>`,
  });
}

/** Why the settings show an error page in place of the requested page. */
export type SettingsProblem =
  | ProblemKind
  | "signedOut"
  | "signedOutKept"
  | "limitedUnchanged"
  | "limitedWithForm"
  | "unavailableWithForm"
  | "unchanged"
  | "unchangedWithForm"
  | "uncertain";

/**
 * Renders the link to the platform's admin, which opens in the whole window, because the settings may be embedded in
 * the admin; nothing if the URL is unknown.
 */
export function adminLink(signInUrl: string | undefined, language: Language): Html | undefined {
  if (signInUrl === undefined) return undefined;
  return html`<p><a class="button" href="${signInUrl}" target="_top">${textsFor(language)("settings.shell.openAdmin")}</a></p>`;
}

/**
 * Renders an error page. One that asks to sign in links to the platform's admin, one for a page that does not exist to
 * the overview, and one for a change that may have been made to the page of its form.
 *
 * @param query what the links to other languages keep
 * @param sent the entries of a form that the page keeps, to send it again: with its nonce, a change that was made, but
 *   not confirmed, is not made twice. Default: none
 */
export function problemView(
  { assets, signInUrl }: { readonly assets: PageFiles; readonly signInUrl: string | undefined },
  language: Language,
  kind: SettingsProblem,
  query: URLSearchParams,
  sent?: URLSearchParams,
): Html {
  const text = textsFor(language);
  const isSignedOut = kind === "signedOut" || kind === "signedOutKept";
  const explanation = html`<p>${text(`settings.shell.problem.${kind}.explanation`)}</p>
${isSignedOut && adminLink(signInUrl, language)}${sent && sentAgain(sent, text("settings.shell.sendAgain"))}${
  kind === "uncertain" && html`<p><a class="button" href="?">${text("settings.shell.checkChange")}</a></p>`
}${kind === "notFound" && html`<p>${link("", text("settings.shell.sections.overview"), "button")}</p>`}`;
  const title = text(`settings.shell.problem.${kind}.title`);
  return noticePage({ assets, language, root, title, content: explanation, query });
}

function menu({ text }: Visit, current: Section): Html {
  return html`${groups.map(
    ([group, sections]) => html`${group && html`<p>${text(`settings.shell.groups.${group}`)}</p>`}
<ul>
${sections.map(
  (section) => html`<li><a href="${pathOf(section)}"${
    section === current ? html` aria-current="page"` : ""
  }>${sectionIcon(section)}${text(`settings.shell.sections.${section}`)}</a></li>
`,
)}</ul>
`,
  )}`;
}

function mistakeList({ refused, language, text }: Visit): Html | undefined {
  if (refused === undefined) return undefined;
  // The form itself shows the question.
  if (refused.question !== undefined) return undefined;
  if (refused.mistakes.length === 0)
    return html`<p class="banner warn" role="status">${text("settings.shell.kept")}</p>`;
  const { action, scope, mistakes, labels } = refused;
  const items = mistakes.map(({ field, text }) => {
    const label = labels.get(field);
    // A mistake without a label is about the whole form, or about a field that the page does not show.
    return label === undefined
      ? html`<li>${text}</li>`
      : html`<li><a href="#${fieldId(action, scope, field)}">${label}${colonOf(language)}${text}</a></li>`;
  });
  return html`<div class="banner bad" role="alert" tabindex="-1" data-mistakes>
<p>${text("settings.shell.mistakes")}</p>
<ul>${items}</ul>
</div>`;
}
