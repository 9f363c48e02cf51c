import type { PublicCertificate } from "#shared/certificates/public-certificate.ts";
import type { Language } from "#shared/texts/languages.ts";
import { html, isolated } from "../../pages/html.ts";
import { prepareQrCodes, qrCode } from "../../pages/qr-code.ts";
import { link } from "../components/content.ts";
import type { SettingsPage } from "../model/settings-page.ts";
import { editionOf } from "../words/edition.ts";
import { selectedCertificates } from "./selected.ts";

/** Shows the QR codes of the selected certificates, or of those that a search finds, for printing. */
export const printPage: SettingsPage = {
  path: "/certificates/print",
  section: "certificates",
  async show({ registry, query, text, session, clientSignal }) {
    const { certificates, next } = await selectedCertificates(registry, query);
    const links = certificates.map(({ verifyUrl }) => verifyUrl);
    await prepareQrCodes(session.shop, links, clientSignal);
    return {
      title: text("settings.certificates.print.title"),
      lead: text("settings.certificates.print.lead"),
      parent: { path: `/certificates?${query}`, title: text("settings.shell.sections.certificates") },
      content: html`<p class="inline-actions"><button type="button" data-print hidden>${text("settings.certificates.print.print")}</button>${
        next && link(`/certificates/print?${next}`, text("settings.words.next"))
      }</p>
<ul class="codes">${certificates.map((certificate) => label(certificate, session.storeLanguage))}</ul>`,
    };
  },
};

/** Renders the code of a certificate. @param language that of the store's buyers, for whom the codes are printed */
function label({ serial, product, edition, verifyUrl }: PublicCertificate, language: Language) {
  return html`<li>${qrCode(verifyUrl)}<strong>${serial}</strong>${isolated(product.title)}${
    edition && isolated(editionOf(edition, language))
  }</li>
`;
}
