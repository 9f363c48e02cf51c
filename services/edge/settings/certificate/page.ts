import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import type { HistoryEntry } from "#gen/registry/v1/inspection_service_pb.js";
import { type PublicCertificate, publicCertificateSchema } from "#shared/certificates/public-certificate.ts";
import { canReceiveMail } from "#shared/email/email-address.ts";
import { receivedText, textsFor } from "#shared/texts/texts.ts";
import { formatDate } from "../../pages/format.ts";
import { type Html, html, isolated } from "../../pages/html.ts";
import { qrCode } from "../../pages/qr-code.ts";
import { revocationReason } from "../../pages/revocation-reason.ts";
import { previewUrl } from "../../verification/preview.ts";
import { statusTones } from "../certificates/list-page.ts";
import { badge, code, copyField, facts, link, mailtoUrl, moment, panel, rowList } from "../components/content.ts";
import type { SettingsPage, Visit } from "../model/settings-page.ts";
import { productPathOf } from "../products/product-page.ts";
import { actorWord } from "../words/actor.ts";
import { editionOf } from "../words/edition.ts";
import { eventWord } from "../words/names.ts";
import { certificateActions, changePanel } from "./changes.ts";

/** Shows a certificate and its history, with the forms that change the certificate. */
export const certificatePage: SettingsPage = {
  path: "/certificates/:certificate",
  section: "certificates",
  async show(visit) {
    const { registry, params, query, language, text } = visit;
    const certificateId = params.certificate ?? "";
    const by = { case: "certificateId", value: certificateId } as const;
    const [{ certificate: json }, { entries }] = await Promise.all([
      registry.inspection.getCertificate({ by }),
      registry.inspection.getHistory({ certificateId }),
    ]);
    const certificate = publicCertificateSchema.parse(json);
    return {
      title: certificate.product.title,
      parent: { path: "/certificates", title: text("settings.shell.sections.certificates") },
      notice: receivedText(language, `settings.certificate.done.${query.get("done")}`),
      content: html`${summaryPanel(visit, certificate)}
${changePanel(visit, certificate)}
${factsPanel(visit, certificate)}
${historyPanel(visit, entries, certificate)}`,
    };
  },
  fields: { new_owner_name: "name", new_owner_email: "email", reason: "reason" },
  keyedActions: certificateActions,
};

/** Renders what a merchant looks for first: product, owner, state, and the link to send to the owner. */
function summaryPanel(
  { language, text, session }: Visit,
  { status, serial, product, edition, owner, verifyUrl }: PublicCertificate,
): Html {
  const inStore = textsFor(session.storeLanguage);
  const values = { product: product.title, store: session.storeName, url: verifyUrl };
  const subject = inStore("settings.certificate.mail.subject", values);
  const mail = `${mailtoUrl(owner.email)}?subject=${encodeURIComponent(subject)}&body=${encodeURIComponent(inStore("settings.certificate.mail.body", values))}`;
  const canReceive = status !== "revoked" && canReceiveMail(owner.email);
  return html`<section class="panel summary">
<div class="qr">${qrCode(verifyUrl)}</div>
<div><p>${badge(statusTones[status], text(`pages.states.${status}.name`))} <span class="serial">${isolated(serial)}${edition && html` · ${isolated(editionOf(edition, language))}`}</span></p>
<p class="title">${isolated(owner.name)}</p>
<p class="hint">${isolated(owner.email)}</p></div>
${copyField("owner-link", text("settings.certificate.ownerLink"), verifyUrl, language, text("settings.certificate.copyLink"))}
<p class="inline-actions">${canReceive && html`<a class="button" href="${mail}">${text("settings.certificate.email")}</a>`}
<a class="button" href="${previewUrl(verifyUrl)}" target="_blank" rel="noopener">${text("settings.certificate.open")}</a></p>
</section>`;
}

function factsPanel({ language, text }: Visit, certificate: PublicCertificate): Html {
  const { product, order, owner, originalBuyer, issuedAt, expiresAt } = certificate;
  const date = (time: string) => formatDate(new Date(time), language);
  const person = ({ name, email }: PublicCertificate["owner"]) => html`${isolated(name)}<br>${isolated(email)}`;
  const reason = certificate.revokedReason ?? "";
  return html`<section class="panel">
${facts([
  [text("pages.labels.variant"), isolated(product.variant)],
  ["SKU", product.sku === "" ? undefined : code(product.sku)],
  [
    text("settings.certificate.order"),
    order.name === null ? text("settings.certificate.byHand") : isolated(order.name),
  ],
  [text("pages.labels.issued"), date(issuedAt)],
  [text("pages.labels.validUntil"), expiresAt === null ? text("pages.unlimited") : date(expiresAt)],
  [text("pages.labels.revoked"), certificate.revokedAt === null ? undefined : date(certificate.revokedAt)],
  [text("pages.labels.reason"), reason === "" ? undefined : isolated(revocationReason(reason, language))],
  [text("settings.certificate.originalBuyer"), originalBuyer.email === owner.email ? undefined : person(originalBuyer)],
  ["ID", code(certificate.id)],
])}
${product.id !== "" && html`<p class="more">${link(productPathOf(certificate.id), text("settings.products.edit"), "button")}</p>`}
</section>`;
}

function historyPanel(visit: Visit, entries: readonly HistoryEntry[], certificate: PublicCertificate): Html {
  const { language, text } = visit;
  const newestFirst = entries.toReversed();
  const transferred = newestFirst.find(({ type }) => type === EventType.TRANSFERRED);
  const revoked =
    certificate.revokedAt === null ? undefined : newestFirst.find(({ type }) => type === EventType.REVOKED);
  // The history keeps no names and reasons, so only those that still apply are known.
  const detailOf = (entry: HistoryEntry) => {
    if (entry === transferred) return html`→ ${isolated(certificate.owner.name)}`;
    if (entry === revoked) return isolated(revocationReason(certificate.revokedReason ?? "", language));
    if (entry.type !== EventType.ISSUED) return undefined;
    return html`${isolated(certificate.originalBuyer.name)} · ${causeWord(visit, entry.cause, certificate)}`;
  };
  const rows = newestFirst.map((entry) => ({
    title:
      entry.change === "link_replaced" ? text("settings.certificate.linkReplaced") : eventWord(entry.type, language),
    details: [detailOf(entry), moment(entry.occurredAt, language), actorWord(entry.actor, language)],
  }));
  return panel(
    text("settings.certificate.history"),
    html`${rowList(rows, "")}
<p class="more">${link(`/deliveries?id=${certificate.id}`, text("settings.certificate.messages"))}</p>`,
  );
}

function causeWord({ text }: Visit, cause: string, { order }: PublicCertificate): Html | string {
  if (cause === "import") return text("settings.certificate.imported");
  return order.name === null
    ? text("settings.certificate.byHand")
    : html`${text("settings.certificate.order")} ${isolated(order.name)}`;
}
