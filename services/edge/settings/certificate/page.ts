import type { HistoryEntry } from "#gen/registry/v1/inspection_service_pb.js";
import { receivedText, textsFor } from "#shared/texts/texts.ts";
import { formatDate } from "../../pages/format.ts";
import { type Html, html } from "../../pages/html.ts";
import { revocationReason } from "../../pages/revocation-reason.ts";
import { previewUrl } from "../../verification/preview.ts";
import { parseCertificate, type ShownCertificate } from "../certificates/certificate.ts";
import { statusTones } from "../certificates/list-page.ts";
import { badge, code, facts, isolated, link, moment, panel, rowList } from "../components/content.ts";
import type { SettingsPage, Visit } from "../model/settings-page.ts";
import { actorWord } from "../words/actor.ts";
import { eventWord } from "../words/names.ts";
import { certificateActions, changePanel } from "./changes.ts";

/** Shows a certificate and its history, with the forms that change the certificate. */
export const certificatePage: SettingsPage = {
  path: "/certificates/:certificate",
  section: "certificates",
  async show(visit) {
    const { registry, params, query, language } = visit;
    const certificateId = params.certificate ?? "";
    const by = { case: "certificateId", value: certificateId } as const;
    const [{ certificate: json }, { entries }] = await Promise.all([
      registry.inspection.getCertificate({ by }),
      registry.inspection.getHistory({ certificateId }),
    ]);
    const certificate = parseCertificate(json);
    return {
      title: certificate.serial,
      lead: certificate.product.title,
      parent: { path: "/certificates", title: textsFor(language)("settings.shell.sections.certificates") },
      notice: receivedText(language, `settings.certificate.done.${query.get("done")}`),
      content: html`${factsPanel(visit, certificate)}
${changePanel(visit, certificate)}
${historyPanel(visit, entries, certificateId)}`,
    };
  },
  fields: { new_owner_name: "name", new_owner_email: "email", reason: "reason" },
  actions: certificateActions,
};

function factsPanel({ language }: Visit, certificate: ShownCertificate): Html {
  const { status, product, edition, order, owner, originalBuyer, issuedAt, expiresAt } = certificate;
  const text = textsFor(language);
  const date = (time: string) => formatDate(new Date(time), language);
  const person = ({ name, email }: ShownCertificate["owner"]) => html`${isolated(name)}<br>${isolated(email)}`;
  const reason = certificate.revokedReason ?? "";
  return html`<section class="panel">
<p>${badge(statusTones[status], text(`pages.states.${status}.name`))}</p>
${facts([
  [text("pages.labels.variant"), isolated(product.variant)],
  ["SKU", product.sku === "" ? undefined : code(product.sku)],
  [text("pages.labels.edition"), edition === null ? undefined : isolated(edition.formatted)],
  [
    text("settings.certificate.order"),
    order.name === null ? text("settings.certificate.byHand") : isolated(order.name),
  ],
  [text("pages.labels.issued"), date(issuedAt)],
  [text("pages.labels.validUntil"), expiresAt === null ? text("pages.unlimited") : date(expiresAt)],
  [text("pages.labels.revoked"), certificate.revokedAt === null ? undefined : date(certificate.revokedAt)],
  [text("pages.labels.reason"), reason === "" ? undefined : isolated(revocationReason(reason, language))],
  [text("pages.labels.owner"), person(owner)],
  [text("settings.certificate.originalBuyer"), originalBuyer.email === owner.email ? undefined : person(originalBuyer)],
  ["ID", code(certificate.id)],
  [text("settings.certificate.ownerLink"), code(certificate.verifyUrl)],
])}
<p class="more"><a class="button" href="${previewUrl(certificate.verifyUrl)}" target="_blank" rel="noopener">${text("settings.certificate.open")}</a></p>
</section>`;
}

function historyPanel({ language }: Visit, entries: readonly HistoryEntry[], certificateId: string): Html {
  const text = textsFor(language);
  const rows = entries.toReversed().map(({ type, change, occurredAt, actor }) => ({
    title: change === "link_replaced" ? text("settings.certificate.linkReplaced") : eventWord(type, language),
    details: [moment(occurredAt, language), actorWord(actor, language)],
  }));
  return panel(
    text("settings.certificate.history"),
    html`${rowList(rows, "")}
<p class="more">${link(`/deliveries?id=${certificateId}`, text("settings.certificate.messages"))}</p>`,
  );
}
