import { emailCharactersMax } from "#shared/email/email-address.ts";
import { textLimits } from "#shared/text/text-limits.ts";
import type { Language } from "#shared/texts/languages.ts";
import { textsFor } from "#shared/texts/texts.ts";
import { described, hint, mistake, sentAgain } from "../pages/form-parts.ts";
import { type Html, html } from "../pages/html.ts";
import { languageLinks } from "../pages/language-links.ts";
import { renderPage } from "../pages/layout.ts";
import { noticePage } from "../pages/notice-page.ts";
import type { PageAssets } from "../pages/page-assets.ts";
import { type ReportEntries, type ReportMistake, reportFields, reportKinds } from "./report-form.ts";

interface ReportPage {
  readonly assets: PageAssets;
  readonly language: Language;
  readonly linkToken: string;
  readonly storeName: string;
  /** The query of links to the certificate's pages; see pageQuery. */
  readonly query: URLSearchParams;
}

/** The data of the page with the form: the entries that the visitor has sent, and their errors. */
interface ReportForm extends ReportPage {
  readonly entries: ReportEntries;
  readonly mistakes: readonly ReportMistake[];
  /** A new token; see FormTokens. */
  readonly token: string;
}

/** Query parameter of the page that confirms a report. Its value is the report's reference number. */
export const sentParameter = "sent";

const contentMax = textLimits.reportContent.max;

/** Renders the form for reporting a problem: empty, or with the entries and errors of a form that was refused. */
export function reportFormView(form: ReportForm): Html {
  const { language, storeName, mistakes, token, entries } = form;
  const text = textsFor(language);
  const introduction = text("pages.report.introduction", { store: storeName });
  return reportPage(
    form,
    text("pages.report.title"),
    form.query,
    html`<p>${introduction}</p>
${mistakes.length === 0 ? "" : mistakeList(mistakes, language)}
<form method="post" action="?${form.query}" novalidate>
<input type="hidden" name="${reportFields.token}" value="${token}">
${kindField(form)}
${contentField(form)}
${emailField(form)}
<div class="trap" aria-hidden="true"><label for="website">${text("pages.report.trapLabel")}</label><input id="website" name="${reportFields.trap}" value="${entries.trap}" tabindex="-1" autocomplete="off"></div>
<div><button class="primary" type="submit">${text("pages.report.submit")}</button></div>
</form>`,
  );
}

/** Renders the confirmation of a report. @param reference the report's reference number; empty if it is unknown */
export function reportThanksView(page: ReportPage, reference: string): Html {
  const text = textsFor(page.language);
  const query = new URLSearchParams([[sentParameter, reference], ...page.query]);
  return reportPage(
    page,
    text("pages.report.thanksTitle"),
    query,
    html`<p>${text("pages.report.thanks", { store: page.storeName })}</p>
${
  reference === ""
    ? ""
    : html`<dl class="reference"><dt>${text("pages.report.reference")}</dt><dd translate="no">${reference}</dd></dl>
<p>${text("pages.report.referenceHint")}</p>`
}`,
  );
}

/**
 * Renders the page for a report that could not be confirmed, to send it again: with its token, it is one report. Its
 * mistakes are shown then, in its form.
 */
export function reportUnconfirmedView(
  assets: PageAssets,
  language: Language,
  { kind, content, email, token }: ReportEntries,
): Html {
  const text = textsFor(language);
  const entries = [
    [reportFields.kind, kind ?? ""],
    [reportFields.content, content],
    [reportFields.email, email],
    [reportFields.token, token],
  ] as const;
  return noticePage({
    assets,
    language,
    root: "../",
    title: text("pages.problems.unavailable.title"),
    content: html`<p>${text("pages.report.unconfirmed")}</p>
${sentAgain(entries, text("pages.report.submit"))}`,
  });
}

/** Renders a page with its own title. @param ownQuery the page's query */
function reportPage(page: ReportPage, title: string, ownQuery: URLSearchParams, content: Html): Html {
  const { assets, language, linkToken, query } = page;
  return renderPage({
    assets,
    language,
    title,
    root: "../",
    content: html`<article class="card">
<h1>${title}</h1>
${content}
</article>
<p class="actions"><a href="../${linkToken}?${query}">${textsFor(language)("pages.report.back")}</a></p>`,
    footer: languageLinks(language, ownQuery),
  });
}

/** The id of the input that an error concerns; undefined for an error that concerns the whole form. */
const fieldOf: Readonly<Partial<Record<ReportMistake, string>>> = {
  kindMissing: "kind-counterfeit",
  contentMissing: "description",
  contentTooLong: "description",
  emailInvalid: "email",
};

function mistakeText(mistake: ReportMistake, language: Language): string {
  const text = textsFor(language);
  return mistake === "contentTooLong"
    ? text("pages.report.contentTooLong", { max: contentMax })
    : text(`pages.report.${mistake}`);
}

function mistakeList(mistakes: readonly ReportMistake[], language: Language): Html {
  const text = textsFor(language);
  const items = mistakes.map((mistake) => ({ field: fieldOf[mistake], text: mistakeText(mistake, language) }));
  const [first] = items;
  if (first !== undefined && first.field === undefined)
    return html`<div class="mistakes" role="alert" tabindex="-1" data-mistakes><p>${first.text}</p></div>`;
  return html`<div class="mistakes" role="alert" tabindex="-1" data-mistakes>
<p>${text("pages.report.mistakes", { count: items.length })}</p>
<ul>${items.map((item) => html`<li><a href="#${item.field}">${item.text}</a></li>`)}</ul>
</div>`;
}

function mistakesOf({ mistakes, language }: ReportForm, field: string): Html[] {
  const about = mistakes.filter((each) => fieldOf[each] === field);
  return about.map((each) => mistake(field, mistakeText(each, language)));
}

function kindField(form: ReportForm): Html {
  const text = textsFor(form.language);
  const mistakes = mistakesOf(form, "kind-counterfeit");
  return html`<fieldset${described("kind-counterfeit", false, mistakes.length > 0)}>
<legend>${text("pages.report.kindLabel")}</legend>
${mistakes}
${reportKinds.map(
  (
    kind,
  ) => html`<div class="choice"><input type="radio" id="kind-${kind}" name="${reportFields.kind}" value="${kind}" required${
    kind === form.entries.kind ? html` checked` : ""
  }><label for="kind-${kind}">${text(`pages.report.kinds.${kind}`)}</label></div>
`,
)}</fieldset>`;
}

function contentField(form: ReportForm): Html {
  const { language, entries } = form;
  const text = textsFor(language);
  const mistakes = mistakesOf(form, "description");
  return html`<div class="field">
<label for="description">${text("pages.report.contentLabel")}</label>
${hint("description", text("pages.report.contentHint", { max: contentMax }))}
${mistakes}
<textarea id="description" name="${reportFields.content}" maxlength="${contentMax}" required${described("description", true, mistakes.length > 0)}>
${entries.content}</textarea>
</div>`;
}

function emailField(form: ReportForm): Html {
  const text = textsFor(form.language);
  const mistakes = mistakesOf(form, "email");
  return html`<div class="field">
<label for="email">${text("pages.report.emailLabel")}</label>
${hint("email", text("pages.report.emailHint"))}
${mistakes}
<input type="email" id="email" name="${reportFields.email}" value="${form.entries.email}" maxlength="${emailCharactersMax}" autocomplete="email"${described("email", true, mistakes.length > 0)}>
</div>`;
}
