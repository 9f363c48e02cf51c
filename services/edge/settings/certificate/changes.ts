import { RevocationCause } from "#gen/registry/v1/lifecycle_service_pb.js";
import type { PublicCertificate } from "#shared/certificates/public-certificate.ts";
import { emailCharactersMax } from "#shared/email/email-address.ts";
import { textLimits } from "#shared/text/text-limits.ts";
import { type Html, html } from "../../pages/html.ts";
import { SettingsForm } from "../components/form.ts";
import { requireEntries } from "../components/required-entries.ts";
import { ConfirmationNeeded, type Outcome, type SettingsPage, type Visit } from "../model/settings-page.ts";

/** The form actions that change a certificate. */
export const certificateActions: NonNullable<SettingsPage["keyedActions"]> = {
  async revoke(visit, form) {
    if (!form.isConfirmed) throw new ConfirmationNeeded(visit.text("settings.certificate.revokeQuestion"));
    await visit.registry.lifecycle.revokeCertificate({
      certificateId: idOf(visit),
      cause: RevocationCause.IN_APP,
      reason: form.text("reason"),
      idempotencyKey: form.nonce,
    });
    return changed(visit, "revoked");
  },
  async reactivate(visit, { nonce: idempotencyKey }) {
    await visit.registry.lifecycle.reactivateCertificate({ certificateId: idOf(visit), idempotencyKey });
    return changed(visit, "reactivated");
  },
  async transfer(visit, form) {
    const [newOwnerName, newOwnerEmail] = [form.text("name"), form.text("email")];
    requireEntries(visit, form, { required: ["name", "email"], email: "email" });
    if (!form.isConfirmed)
      throw new ConfirmationNeeded(
        visit.text("settings.certificate.transferQuestion", { name: newOwnerName, email: newOwnerEmail }),
      );
    const request = { certificateId: idOf(visit), newOwnerName, newOwnerEmail, idempotencyKey: form.nonce };
    const { unchanged } = await visit.registry.lifecycle.transferCertificate(request);
    return changed(visit, unchanged ? "unchanged" : "transferred");
  },
  async replaceLink(visit, { nonce: idempotencyKey }) {
    await visit.registry.links.replaceLink({ certificateId: idOf(visit), idempotencyKey });
    return changed(visit, "link");
  },
};

function idOf({ params }: Visit): string {
  return params.certificate ?? "";
}

function changed(visit: Visit, what: string): Outcome {
  return { path: `/certificates/${idOf(visit)}?done=${what}` };
}

/** Renders the forms for the changes that the certificate's state permits. */
export function changePanel(visit: Visit, { status }: PublicCertificate): Html {
  const ofStatus = {
    active: () => html`${transferForm(visit)}${revokeForm(visit)}`,
    revoked: () => reactivateForm(visit),
    expired: () => undefined,
  };
  return html`<section class="panel"><div class="disclosures buttons">${ofStatus[status]()}${linkForm(visit)}</div></section>`;
}

function transferForm(visit: Visit): Html {
  const { text } = visit;
  const form = new SettingsForm(visit, "transfer");
  const fields = html`<p class="hint">${text("settings.certificate.transferLead")}</p>
${form.text({ name: "name", label: text("settings.certificate.newName"), charactersMax: textLimits.personName.max, isRequired: true })}
${form.text({ name: "email", label: text("settings.certificate.newEmail"), type: "email", charactersMax: emailCharactersMax, isRequired: true })}`;
  return form.disclosed(fields, {
    submit: text("settings.certificate.transfer"),
    confirm: text("settings.certificate.transferNow"),
  });
}

function revokeForm(visit: Visit): Html {
  const { text } = visit;
  const form = new SettingsForm(visit, "revoke");
  const charactersMax = textLimits.revokedReason.max;
  const fields = html`<p class="hint">${text("settings.certificate.revokeLead")}</p>
${form.text({ name: "reason", label: text("settings.certificate.reasonLabel"), hint: text("settings.certificate.reasonHint"), charactersMax })}`;
  return form.disclosed(fields, {
    submit: text("settings.certificate.revoke"),
    kind: "danger",
    confirm: text("settings.certificate.revokeNow"),
  });
}

function reactivateForm(visit: Visit): Html {
  const lead = html`<p>${visit.text("settings.certificate.reactivateLead")}</p>`;
  return new SettingsForm(visit, "reactivate").frame(lead, { submit: visit.text("settings.certificate.reactivate") });
}

function linkForm(visit: Visit): Html {
  return new SettingsForm(visit, "replaceLink").disclosed(
    html`<p class="hint">${visit.text("settings.certificate.newLinkLead")}</p>`,
    { submit: visit.text("settings.certificate.replaceLink"), kind: "danger" },
    visit.text("settings.certificate.newLink"),
  );
}
