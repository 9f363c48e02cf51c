import type { ImageReference } from "#shared/images/image.ts";
import type { Language } from "#shared/texts/languages.ts";
import { textsFor } from "#shared/texts/texts.ts";
import { formatDate } from "../pages/format.ts";
import { type Html, html, isolated, raw } from "../pages/html.ts";
import { languageLinks } from "../pages/language-links.ts";
import { renderPage } from "../pages/layout.ts";
import type { PageAssets } from "../pages/page-assets.ts";
import { qrCode } from "../pages/qr-code.ts";
import { revocationReason } from "../pages/revocation-reason.ts";
import type { PageState, VerificationPage } from "../registry-client/verification-page.ts";
import { editionText } from "./edition-text.ts";
import { linkPreview } from "./link-preview.ts";
import { pageQuery } from "./preview.ts";

/** Parameters for rendering a verification page. */
export interface PageView {
  readonly language: Language;
  readonly linkToken: string;
  /** Whether the store views the page; see previewUrl. */
  readonly preview: boolean;
}

/** Renders the verification page of a certificate or a sample. */
export function certificateView(assets: PageAssets, page: VerificationPage, view: PageView): Html {
  const { language, linkToken, preview } = view;
  const isReported = !page.isVerified && !preview;
  const text = textsFor(language);
  const title = `${text("pages.certificate")} · ${page.productTitle}`;
  return renderPage({
    assets,
    language,
    title,
    root: "",
    head: linkPreview(assets, page, language),
    openedUrl: isReported ? `${linkToken}/opened` : undefined,
    content: html`${certificateSheet(page, language, { root: "", headingId: "heading" })}
${actions(page, view)}
${certificateHistory(page, language)}
${isReported && html`<noscript><img src="${linkToken}/opened.gif" alt="" width="1" height="1"></noscript>`}`,
    footer: languageLinks(language, pageQuery(language, preview)),
  });
}

/**
 * Renders a store's logo, without alternative text because the store's name is next to the logo.
 *
 * @param root URL of the folder `/verify/`; empty for a document in that folder
 */
function logoImage({ id, width, height }: ImageReference, root: string): Html {
  return html`<img class="logo" src="${root}logos/${id}" width="${Math.ceil(width / 2)}" height="${Math.ceil(height / 2)}" alt="">
`;
}

function picture({ id, width, height }: ImageReference, title: string, root: string): Html {
  return html`<img class="picture" src="${root}images/${id}" width="${width}" height="${height}" alt="${title}" fetchpriority="high">
`;
}

// A watermark with more characters than this needs smaller letters to fit on the screen of a phone.
const longWord = 6;

// Texts with more characters than these get smaller letters on paper.
const longTitle = 70;
const longValue = 40;

interface SheetPlace {
  /** URL of the folder `/verify/`; empty for a document in that folder. */
  readonly root: string;
  /** Id of the heading, unique in the document. */
  readonly headingId: string;
}

/** Renders a certificate or a sample so that it looks like a paper certificate. */
export function certificateSheet(page: VerificationPage, language: Language, { root, headingId }: SheetPlace): Html {
  const text = textsFor(language);
  const { state, productTitle, productVariant } = page;
  const edition = editionText(page, language);
  const name = text(`pages.states.${state}.name`);
  const isVoid = state === "revoked" || state === "sample";
  const watermark = html`<span class="mark${name.length > longWord ? " long" : ""}" data-word="${name}" aria-hidden="true"></span>
`;
  return html`<article class="sheet certificate" aria-labelledby="${headingId}">
<div class="content${isVoid ? " void" : ""}">
${page.logo && logoImage(page.logo, root)}${issuer(page, language)}
<h1 id="${headingId}">${text("pages.certificate")}</h1>
${divider}
${page.image && picture(page.image, productTitle, root)}<p class="product${productTitle.length > longTitle ? " long" : ""}">${isolated(productTitle)}</p>
${
  page.maker === ""
    ? ""
    : html`<p class="maker">${isolated(text("pages.by", { maker: page.maker }))}</p>
`
}${productVariant === "" ? "" : html`<p class="variant">${isolated(productVariant)}</p>`}
${edition === "" ? "" : html`<p class="edition">${isolated(edition)}</p>`}
<p class="state ${state}">
${isVoid && watermark}<span class="seal" aria-hidden="true">${symbols[state]}</span>
<strong>${name}</strong>
<span class="explanation">${text(`pages.states.${state}.explanation`)}</span>
</p>
${details(page, language)}
<div class="scan">${qrCode(page.verifyUrl)}<span>${text("pages.scanToVerify")}<span class="address" dir="ltr">${addressToType(page.verifyUrl)}</span></span></div>
</div>
</article>`;
}

function issuer({ storeName, shop }: VerificationPage, language: Language): Html {
  const issued = isolated(textsFor(language)("pages.issuedBy", { store: storeName }));
  const linked = (content: Html | string) => html`<a href="https://${shop}" rel="noopener">${content}</a>`;
  if (shop === "") return html`<p class="issuer">${issued}</p>`;
  if (shop === storeName) return html`<p class="issuer">${linked(issued)}</p>`;
  return html`<p class="issuer">${issued}</p>
<p class="shop" dir="ltr">${linked(shop)}</p>`;
}

/** Renders the part of a URL that a reader has to type; its lines break before the link token. */
function addressToType(url: string): Html {
  const { host, pathname } = new URL(url);
  const tokenAt = pathname.lastIndexOf("/") + 1;
  return html`${host}${pathname.slice(0, tokenAt)}<wbr>${pathname.slice(tokenAt)}`;
}

function details(page: VerificationPage, language: Language): Html {
  const text = textsFor(language);
  const date = (at: Date) => html`<time datetime="${at.toISOString()}">${formatDate(at, language)}</time>`;
  const validUntil = page.expiresAt === undefined ? text("pages.unlimited") : date(page.expiresAt);
  const reason = revocationReason(page.revokedReason, language);
  const rows: readonly (readonly [label: string, value: Html | string, text?: string])[] = [
    [text("pages.labels.serial"), page.serial],
    [text("pages.labels.issued"), date(page.issuedAt)],
    [text("pages.labels.validUntil"), page.state === "sample" || page.state === "revoked" ? "" : validUntil],
    [text("pages.labels.revoked"), page.revokedAt === undefined ? "" : date(page.revokedAt)],
    [text("pages.labels.reason"), isolated(reason), reason],
    [text("pages.labels.owner"), isolated(page.owner), page.owner],
  ];
  const shown = rows.filter(([, value]) => String(value) !== "");
  return html`<dl class="details">
${shown.map(([label, value, { length } = ""]) => html`<div><dt>${label}</dt><dd${length > longValue && html` class="long"`}>${value}</dd></div>\n`)}</dl>`;
}

function actions({ state }: VerificationPage, { language, linkToken, preview }: PageView): Html {
  const text = textsFor(language);
  const report = html`<a href="${linkToken}/report?${pageQuery(language, preview)}">${text("pages.report.link")}</a>`;
  return html`<div class="actions">
<button type="button" class="primary" data-share hidden>${text("pages.share")}</button>
<button type="button" data-print hidden>${text("pages.print")}</button>
${state === "sample" ? "" : report}
<p class="copied" role="status" data-copied="${text("pages.linkCopied")}"></p>
</div>`;
}

/** Renders what happened to a certificate, oldest first; nothing for one that was only issued. */
function certificateHistory(page: VerificationPage, language: Language): Html | false {
  const { changes, state, issuedAt, expiresAt } = page;
  const text = textsFor(language);
  const entries = [
    { kind: "issued" as const, at: issuedAt },
    ...changes,
    ...(state === "expired" && expiresAt !== undefined ? [{ kind: "expired" as const, at: expiresAt }] : []),
  ];
  if (entries.length === 1) return false;
  return html`<section class="history" aria-labelledby="history">
<h2 id="history">${text("pages.history.title")}</h2>
<ol>${entries.map(({ kind, at }) => html`<li>${text(`pages.history.${kind}`, { date: formatDate(at, language) })}</li>\n`)}</ol>
</section>`;
}

const divider = html`<svg class="rule" viewBox="0 0 208 11" fill="none" stroke="currentColor" aria-hidden="true"><path d="M0 5.5H84M124 5.5H208" stroke-width="1"/><path d="M104 .5l9 5-9 5-9-5z" stroke-width="1"/><path d="M104 3l4.5 2.5-4.5 2.5-4.5-2.5z" fill="currentColor" stroke="none"/><circle cx="88" cy="5.5" r="1.5" fill="currentColor" stroke="none"/><circle cx="120" cy="5.5" r="1.5" fill="currentColor" stroke="none"/></svg>`;

const symbol = (path: string) =>
  html`<svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2.2" stroke-linecap="round" stroke-linejoin="round">${raw(path)}</svg>`;

const symbols: Readonly<Record<PageState, Html>> = {
  active: symbol('<path d="M4 13l5.5 5.5L20 6.5"/>'),
  revoked: symbol('<path d="M5.5 5.5l13 13M18.5 5.5l-13 13"/>'),
  expired: symbol('<circle cx="12" cy="12" r="9"/><path d="M12 7v5l3.5 2.5"/>'),
  sample: symbol(
    '<path d="M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12z"/><circle cx="12" cy="12" r="2.8"/>',
  ),
};
