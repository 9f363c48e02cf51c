import { OwnerDisplay, type Store } from "#gen/registry/v1/store_admin_service_pb.js";
import { ownerText } from "#shared/certificates/owner-text.ts";
import type { PublicCertificate } from "#shared/certificates/public-certificate.ts";
import { valueName } from "#shared/enums/named-values.ts";
import { html } from "../../pages/html.ts";
import { supportedLanguage } from "../../pages/languages.ts";
import { renderPage } from "../../pages/layout.ts";
import { prepareQrCodes } from "../../pages/qr-code.ts";
import type { VerificationPage } from "../../registry-client/verification-page.ts";
import { certificateSheet } from "../../verification/certificate-view.ts";
import { link } from "../components/content.ts";
import { type SettingsPage, settingsPath } from "../model/settings-page.ts";
import { selectedCertificates } from "./selected.ts";

/**
 * Shows certificates as sheets to print, one or four per printed page, in the language of the store's pages. A bar that
 * is not printed replaces the navigation of the settings.
 */
export const sheetsPage: SettingsPage = {
  path: "/certificates/sheets",
  section: "certificates",
  async document({ registry, query, language, text, session, clientSignal }, assets) {
    const [{ certificates, next }, { store }] = await Promise.all([
      selectedCertificates(registry, query),
      registry.stores.getStore({}),
    ]);
    const links = certificates.map(({ verifyUrl }) => verifyUrl);
    await prepareQrCodes(session.shop, links, clientSignal);
    const isFour = query.get("per-page") === "4";
    const withLayout = (count: string) => {
      const other = new URLSearchParams(query);
      other.set("per-page", count);
      const label =
        count === "4"
          ? text("settings.certificates.print.fourPerPage")
          : text("settings.certificates.print.onePerPage");
      const isCurrent = isFour === (count === "4");
      return html`<a href="?${other}"${isCurrent ? html` aria-current="true"` : ""}>${label}</a>`;
    };
    const pageLanguage = supportedLanguage(store?.language ?? "") ?? "en";
    const root = `${settingsPath}/`;
    return renderPage({
      assets: assets.sheets,
      language,
      root,
      title: `${text("settings.certificates.print.sheets")} · ${session.storeName}`,
      bodyClass: isFour ? "four" : "one",
      header: html`<header class="sheets-bar">
${link("/certificates", text("settings.shell.sections.certificates"))}
${withLayout("1")}${withLayout("4")}
<button type="button" data-print hidden>${text("settings.certificates.print.print")}</button>
${next && link(`/certificates/sheets?${next}&per-page=${isFour ? 4 : 1}`, text("settings.words.next"))}
<p>${text("settings.certificates.print.sheetsLead")}</p>
</header>`,
      content: html`<div class="sheets" lang="${pageLanguage}">${certificates.map((certificate, index) =>
        certificateSheet(pageOf(certificate, store, session.storeName), pageLanguage, {
          root: "/verify/",
          headingId: `certificate-${index + 1}`,
        }),
      )}</div>`,
    });
  },
};

/** Returns the content of a certificate's verification page, without the image and the maker of its product. */
function pageOf(certificate: PublicCertificate, store: Store | undefined, storeName: string): VerificationPage {
  const { status, product, serial, edition, owner, verifyUrl } = certificate;
  const dateOf = (text: string | null) => (text === null ? undefined : new Date(text));
  return {
    state: status,
    storeName,
    shop: store?.shop ?? "",
    verifyUrl,
    language: store?.language ?? "",
    logo: store?.logo,
    productTitle: product.title,
    productVariant: product.variant,
    serial,
    edition: edition?.formatted ?? "",
    maker: "",
    editionParts:
      edition && store ? { number: edition.number, total: edition.total, style: store.editionStyle } : undefined,
    changes: [],
    owner: ownerText(owner.name, valueName(OwnerDisplay, store?.ownerDisplay ?? 0) ?? "nothing"),
    revokedReason: certificate.revokedReason ?? "",
    issuedAt: new Date(certificate.issuedAt),
    expiresAt: dateOf(certificate.expiresAt),
    revokedAt: dateOf(certificate.revokedAt),
    isVerified: true,
  };
}
