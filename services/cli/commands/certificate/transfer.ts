import { parseEmail } from "../../command/option-values.ts";
import { defineCertificateChange } from "./define-certificate-change.ts";

export const certificateTransfer = defineCertificateChange<Record<"name" | "email", string>>({
  name: "certificate transfer",
  description: "transfer an active certificate to a new owner; the recorded buyer does not change",
  changes: "an active certificate",
  configure: (command) =>
    command
      .requiredOption("--name <name>", "name of the new owner")
      .requiredOption("--email <address>", "e-mail address of the new owner", parseEmail),
  preview: (certificate, { name, email }) => `transfer ${certificate} to ${name} <${email}>`,
  apply: async ({ lifecycle }, { certificateId, idempotencyKey }, { name, email }, output) => {
    const reply = await lifecycle.transferCertificate({
      certificateId,
      idempotencyKey,
      newOwnerName: name,
      newOwnerEmail: email,
    });
    if (reply.unchanged) output.note("unchanged: the certificate already has this owner, so no message was sent");
    return reply;
  },
});
