import type { HistoryEntry } from "#gen/registry/v1/inspection_service_pb.js";
import { type Html, html } from "../../pages/html.ts";
import { formatDate } from "../../pages/messages/format.ts";
import { messagesOf } from "../../pages/messages/languages.ts";
import { previewUrl } from "../../verification/preview.ts";
import { parseCertificate, type ShownCertificate } from "../certificates/certificate.ts";
import { statusTones } from "../certificates/list-page.ts";
import { texts as listTexts } from "../certificates/texts.ts";
import { badge, code, facts, isolated, link, moment, panel, rowList } from "../components/content.ts";
import type { SettingsPage, Visit } from "../model/settings-page.ts";
import { shellTexts } from "../shell/texts.ts";
import { eventWord } from "../words/names.ts";
import { certificateActions, changePanel } from "./changes.ts";
import { texts } from "./texts.ts";

/** Shows a certificate and its history, with the forms that change the certificate. */
export const certificatePage: SettingsPage = {
  path: "/certificates/:certificate",
  section: "certificates",
  async show(visit) {
    const { registry, params, query, language } = visit;
    const certificateId = params.certificate ?? "";
    const by = { case: "certificateId", value: certificateId } as const;
    const [{ certificate: json }, { entries }] = await Promise.all([
      registry.certificates.getCertificate({ by }),
      registry.certificates.getHistory({ certificateId }),
    ]);
    const certificate = parseCertificate(json);
    const notices = { ...texts[language].done, issued: listTexts[language].issued };
    return {
      title: certificate.serial,
      lead: certificate.product.title,
      parent: { path: "/certificates", title: shellTexts[language].sections.certificates },
      notice: Object.entries(notices).find(([name]) => name === query.get("done"))?.[1],
      content: html`${factsPanel(visit, certificate)}
${changePanel(visit, certificate)}
${historyPanel(visit, entries, certificateId)}`,
    };
  },
  actions: certificateActions,
};

function factsPanel({ language }: Visit, certificate: ShownCertificate): Html {
  const { status, product, edition, order, owner, originalBuyer, issuedAt, expiresAt } = certificate;
  const { states, labels, unlimited, revocationReasons } = messagesOf[language];
  const { open, ownerLink, order: orderLabel, byHand, originalBuyer: buyerLabel } = texts[language];
  const date = (text: string) => formatDate(new Date(text), language);
  const person = ({ name, email }: ShownCertificate["owner"]) => html`${isolated(name)}<br>${isolated(email)}`;
  const reason = certificate.revokedReason ?? "";
  const translated = Object.entries(revocationReasons).find(([english]) => english === reason)?.[1] ?? reason;
  return html`<section class="panel">
<p>${badge(statusTones[status], states[status].name)}</p>
${facts([
  [labels.variant, isolated(product.variant)],
  ["SKU", product.sku === "" ? undefined : code(product.sku)],
  [labels.edition, edition === null ? undefined : isolated(edition.formatted)],
  [orderLabel, order.name === null ? byHand : isolated(order.name)],
  [labels.issued, date(issuedAt)],
  [labels.validUntil, expiresAt === null ? unlimited : date(expiresAt)],
  [labels.revoked, certificate.revokedAt === null ? undefined : date(certificate.revokedAt)],
  [labels.reason, translated === "" ? undefined : isolated(translated)],
  [labels.owner, person(owner)],
  [buyerLabel, originalBuyer.email === owner.email ? undefined : person(originalBuyer)],
  ["ID", code(certificate.id)],
  [ownerLink, code(certificate.verifyUrl)],
])}
<p class="more"><a class="button" href="${previewUrl(certificate.verifyUrl)}" target="_blank" rel="noopener">${open}</a></p>
</section>`;
}

function historyPanel({ language }: Visit, entries: readonly HistoryEntry[], certificateId: string): Html {
  const { history, messages, linkReplaced, buyer } = texts[language];
  const rows = entries.toReversed().map(({ type, change, occurredAt, actor }) => ({
    title: change === "link_replaced" ? linkReplaced : eventWord(type, language),
    details: [moment(occurredAt, language), actor === "buyer" ? buyer : isolated(actor)],
  }));
  return panel(
    history,
    html`${rowList(rows, "")}
<p class="more">${link(`/deliveries?id=${certificateId}`, messages)}</p>`,
  );
}
