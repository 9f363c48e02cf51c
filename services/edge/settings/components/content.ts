import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import type { CertificateLabel } from "#gen/registry/v1/inspection_service_pb.js";
import type { Language } from "#shared/texts/languages.ts";
import { textsFor } from "#shared/texts/texts.ts";
import { momentFormat } from "../../pages/format.ts";
import { type Html, html, isolated } from "../../pages/html.ts";
import { settingsPath } from "../model/settings-page.ts";

export function panel(title: string, content: Html | string, lead?: string | Html): Html {
  return html`<section class="panel"><h2>${title}</h2>
${lead && html`<p class="hint">${lead}</p>`}
${content}</section>`;
}

/**
 * Returns the URL that opens a message to an e-mail address (RFC 6068). Programs for e-mail do not all decode the `@`
 * before the domain, so it stays as it is.
 */
export function mailtoUrl(address: string): string {
  return `mailto:${encodeURIComponent(address).replace(/%40(?!.*%40)/, "@")}`;
}

/** How a state is displayed: each tone has a colour and a symbol, so that the colour is not the only difference. */
export type Tone = "good" | "bad" | "warn" | "neutral";

/** Renders a state as a coloured label with a symbol. */
export function badge(tone: Tone, text: string): Html {
  return html`<span class="badge ${tone}">${text}</span>`;
}

/** Renders facts with their labels; facts without a value are omitted. */
export function facts(rows: readonly (readonly [label: string, value: Html | string | undefined])[]): Html {
  const shown = rows.filter(([, value]) => value !== undefined && String(value) !== "");
  return html`<dl class="facts">
${shown.map(([label, value]) => html`<div><dt>${label}</dt><dd>${value}</dd></div>\n`)}</dl>`;
}

/** An entry of a list: a title, a state, further details, and content below them. */
export interface Row {
  readonly title: Html | string;
  /** Content before the title, such as a check box. */
  readonly lead?: Html | undefined;
  readonly state?: Html | undefined;
  readonly details?: readonly (Html | string | undefined)[];
  readonly more?: Html | undefined;
}

/** Renders a list. @param empty shown instead of an empty list */
export function rowList(rows: readonly Row[], empty: string): Html {
  if (rows.length === 0) return html`<p class="empty">${empty}</p>`;
  return html`<ul class="rows">
${rows.map(
  ({ title, lead, state, details = [], more }) => html`<li>
<div class="row">${lead}<span class="title">${title}</span>${state}</div>
<p class="details">${details
    .filter((detail) => detail !== undefined && String(detail) !== "")
    .map((detail) => html`<span>${detail}</span>`)}</p>
${more}</li>
`,
)}</ul>`;
}

/** Renders a page of a list. @param empty shown instead of an empty list @param nextPath see {@link pager} */
export function listPanel(rows: readonly Row[], empty: string, nextPath: string, language: Language): Html {
  return html`<section class="panel">${rowList(rows, empty)}</section>
${pager(nextPath, textsFor(language)("settings.words.next"))}`;
}

/** Renders the link to the next page of a list. @param path below `/settings`; empty on the last page */
export function pager(path: string, label: string): Html {
  return path === "" ? html`` : html`<p class="pager">${link(path, label, "button")}</p>`;
}

/** Renders content that is hidden until the merchant opens it. */
export function disclosure(summary: string, content: Html, isOpen = false): Html {
  return html`<details class="disclosure"${isOpen ? html` open` : ""}><summary>${summary}</summary>
${content}</details>`;
}

/** Renders an address, a key or another string that must not be translated. */
export function code(text: string): Html {
  return html`<code dir="ltr" translate="no">${text}</code>`;
}

/** Renders a link to another page of the settings. @param path below `/settings` */
export function link(path: string, text: Html | string, kind?: "button"): Html {
  return html`<a href="${settingsPath}${path}"${kind && html` class="button"`}>${text}</a>`;
}

/** Renders a link to the quick start of the documentation. @param section the id of the part to which it leads */
export function docsLink(language: Language, section: string): Html {
  return html`<p class="more"><a href="/docs#${section}" target="_blank" rel="noopener">${textsFor(language)("pages.start.docs")}</a></p>`;
}

/** Renders a certificate as lists name it, as a link to its page. @param label undefined if the registry sent none */
export function certificateLink(id: string, label: CertificateLabel | undefined, otherwise: string): Html {
  const text = label === undefined ? otherwise : html`${label.serial}&nbsp;· ${isolated(label.productTitle)}`;
  return link(`/certificates/${id}`, text);
}

/** Renders a point in time in UTC; the page's script replaces it with the merchant's local time. */
export function moment(at: Date | Timestamp | undefined, language: Language): Html | undefined {
  if (at === undefined) return undefined;
  const date = at instanceof Date ? at : timestampDate(at);
  return html`<time datetime="${date.toISOString()}" data-local>${momentFormat(language).format(date)} UTC</time>`;
}

/** Renders a string with a button that copies it. @param id of the input */
export function copyField(
  id: string,
  label: string,
  value: string,
  language: Language,
  copy = textsFor(language)("settings.words.copy"),
): Html {
  const text = textsFor(language);
  return html`<div class="secret">
<label for="${id}">${label}</label>
<input id="${id}" class="code" value="${value}" readonly dir="ltr" spellcheck="false" autocomplete="off">
<button type="button" data-copy="${id}" data-copied="${text("settings.words.copied")}" data-denied="${text("settings.words.copyByHand")}" hidden>${copy}</button>
<p class="hint" role="status" id="${id}-note"></p>
</div>`;
}
