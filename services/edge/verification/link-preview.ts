import type { ImageReference } from "#shared/images/image.ts";
import type { Language } from "#shared/texts/languages.ts";
import { textsFor } from "#shared/texts/texts.ts";
import { colonOf } from "../pages/format.ts";
import { type Html, html } from "../pages/html.ts";
import type { PageAssets } from "../pages/page-assets.ts";
import type { VerificationPage } from "../registry-client/verification-page.ts";
import { editionText } from "./edition-text.ts";

// Services that show links as cards ignore smaller images, or show them as a small square.
const cardSideMin = 300;

function isForCards({ width, height }: ImageReference): boolean {
  return Math.min(width, height) >= cardSideMin;
}

/**
 * Renders the description of a page for the services that show links as cards (Open Graph, https://ogp.me). The card of
 * a certificate that is not valid has the seal of its state, because some services show only the image and the title.
 */
export function linkPreview(assets: PageAssets, page: VerificationPage, language: Language): Html {
  const text = textsFor(language);
  const { state, productTitle, serial, storeName, verifyUrl } = page;
  const joined = (...parts: string[]) => parts.filter((part) => part !== "").join(" · ");
  const stateName = text(`pages.states.${state}.name`);
  const title = joined(productTitle, editionText(page, language));
  const issuer = text("pages.issuedBy", { store: storeName });
  const number = serial === "" ? "" : `${text("pages.labels.serial")} ${serial}`;
  const description = joined(`${text("pages.certificate")}${colonOf(language)}${stateName}`, issuer, number);
  // Services read the page again at this address, which would otherwise have the store's language.
  const address = new URL(verifyUrl);
  address.searchParams.set("lang", language);
  // Absolute, as Open Graph requires, and at the address that the store has chosen.
  const root = verifyUrl.slice(0, verifyUrl.lastIndexOf("/"));
  const alt = joined(productTitle, `${text("pages.certificate")}${colonOf(language)}${stateName}`);
  const image =
    page.image !== undefined && isForCards(page.image) && state === "active"
      ? { url: `${root}/images/${page.image.id}`, width: page.image.width, height: page.image.height, alt }
      : { url: `${root}/assets/${assets.card(state, language)}`, width: 1_200, height: 630, alt };
  return html`<meta name="description" content="${description}">
<link rel="canonical" href="${verifyUrl}">
<meta property="og:type" content="website">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${description}">
<meta property="og:site_name" content="${storeName}">
<meta property="og:url" content="${address.href}">
<meta property="og:image" content="${image.url}">
<meta property="og:image:width" content="${image.width}">
<meta property="og:image:height" content="${image.height}">
<meta property="og:image:alt" content="${image.alt}">
<meta name="twitter:card" content="summary_large_image">`;
}
