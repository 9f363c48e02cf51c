import { html } from "../../pages/html.ts";
import { qrCode } from "../../pages/qr-code.ts";
import { isolated, link } from "../components/content.ts";
import type { SettingsPage } from "../model/settings-page.ts";
import { shellTexts } from "../shell/texts.ts";
import { words } from "../words/texts.ts";
import { parseCertificate, type ShownCertificate } from "./certificate.ts";
import { texts } from "./print-texts.ts";
import { nextSearch, searchOf } from "./search.ts";

const codesMax = 100;

/** Shows the QR codes of the certificates of a search, to print them. */
export const printPage: SettingsPage = {
  path: "/certificates/print",
  section: "certificates",
  async show({ registry, query, language }) {
    const request = { ...searchOf(query), limit: codesMax, newestFirst: true };
    const { certificates, next } = await registry.certificates.findCertificates(request);
    const { title, lead, print } = texts[language];
    return {
      title,
      lead,
      parent: { path: `/certificates?${query}`, title: shellTexts[language].sections.certificates },
      content: html`<p class="inline-actions"><button type="button" data-print hidden>${print}</button>${
        next && link(`/certificates/print?${nextSearch(query, next)}`, words[language].next)
      }</p>
<ul class="codes">${certificates.map((json) => label(parseCertificate(json)))}</ul>`,
    };
  },
};

function label({ serial, product, edition, verifyUrl }: ShownCertificate) {
  return html`<li>${qrCode(verifyUrl)}<strong>${serial}</strong>${isolated(product.title)}${
    edition && isolated(edition.formatted)
  }</li>
`;
}
