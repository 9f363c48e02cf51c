import { RevocationCause } from "#gen/registry/v1/lifecycle_service_pb.js";
import { emailCharactersMax, isEmailAddress } from "#shared/email/email-address.ts";
import { textLimits } from "#shared/text/text-limits.ts";
import { type Html, html } from "../../pages/html.ts";
import type { ShownCertificate } from "../certificates/certificate.ts";
import { texts as listTexts } from "../certificates/texts.ts";
import { disclosure } from "../components/content.ts";
import { SettingsForm } from "../components/form.ts";
import { FormRefusal, type Outcome, type SettingsPage, type Visit } from "../model/settings-page.ts";
import { words } from "../words/texts.ts";
import { texts } from "./texts.ts";

/** The form actions that change a certificate. */
export const certificateActions: NonNullable<SettingsPage["actions"]> = {
  async revoke(visit, form) {
    await visit.registry.certificates.revokeCertificate({
      certificateId: idOf(visit),
      cause: RevocationCause.IN_APP,
      reason: form.text("reason"),
      idempotencyKey: form.nonce,
    });
    return changed(visit, "revoked");
  },
  async reactivate(visit, { nonce: idempotencyKey }) {
    await visit.registry.certificates.reactivateCertificate({ certificateId: idOf(visit), idempotencyKey });
    return changed(visit, "reactivated");
  },
  async transfer(visit, form) {
    const [newOwnerName, newOwnerEmail] = [form.text("name"), form.text("email")];
    const { required } = words[visit.language];
    const { emailInvalid } = listTexts[visit.language];
    const mistakes = [
      ...(newOwnerName === "" ? [{ field: "name", text: required }] : []),
      ...(isEmailAddress(newOwnerEmail)
        ? []
        : [{ field: "email", text: newOwnerEmail === "" ? required : emailInvalid }]),
    ];
    if (mistakes.length > 0) throw new FormRefusal(mistakes);
    const request = { certificateId: idOf(visit), newOwnerName, newOwnerEmail, idempotencyKey: form.nonce };
    const { unchanged } = await visit.registry.certificates.transferCertificate(request);
    return changed(visit, unchanged ? "unchanged" : "transferred");
  },
  async replaceLink(visit, { nonce: idempotencyKey }) {
    await visit.registry.certificates.replaceLink({ certificateId: idOf(visit), idempotencyKey });
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
export function changePanel(visit: Visit, { status }: ShownCertificate): Html {
  const ofStatus = {
    active: () => html`${transferForm(visit)}${revokeForm(visit)}`,
    revoked: () => reactivateForm(visit),
    expired: () => undefined,
  };
  return html`<section class="panel">${ofStatus[status]()}${linkForm(visit)}</section>`;
}

function transferForm(visit: Visit): Html {
  const { transfer, transferLead, newName, newEmail } = texts[visit.language];
  const form = new SettingsForm(visit, "transfer");
  const fields = html`<p class="hint">${transferLead}</p>
${form.text({ name: "name", label: newName, charactersMax: textLimits.personName.max, isRequired: true })}
${form.text({ name: "email", label: newEmail, type: "email", charactersMax: emailCharactersMax, isRequired: true })}`;
  return disclosure(transfer, form.frame(fields, { submit: transfer }), visit.refused?.action === "transfer");
}

function revokeForm(visit: Visit): Html {
  const { revoke, revokeLead, reasonLabel, reasonHint } = texts[visit.language];
  const form = new SettingsForm(visit, "revoke");
  const charactersMax = textLimits.revokedReason.max;
  const fields = html`<p class="hint">${revokeLead}</p>
${form.text({ name: "reason", label: reasonLabel, hint: reasonHint, charactersMax })}`;
  const content = form.frame(fields, { submit: revoke, kind: "danger" });
  return disclosure(revoke, content, visit.refused?.action === "revoke");
}

function reactivateForm(visit: Visit): Html {
  const { reactivate, reactivateLead } = texts[visit.language];
  return new SettingsForm(visit, "reactivate").frame(html`<p>${reactivateLead}</p>`, { submit: reactivate });
}

function linkForm(visit: Visit): Html {
  const { newLink, newLinkLead, replaceLink } = texts[visit.language];
  const form = new SettingsForm(visit, "replaceLink");
  const content = form.frame(html`<p class="hint">${newLinkLead}</p>`, { submit: replaceLink, kind: "danger" });
  return disclosure(newLink, content);
}
