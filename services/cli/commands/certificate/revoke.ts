import { Option } from "commander";
import { RevocationCause } from "#gen/registry/v1/lifecycle_service_pb.js";
import { defineCertificateChange } from "./define-certificate-change.ts";

const causes: Readonly<Record<string, RevocationCause>> = {
  refund: RevocationCause.REFUND,
  "order-cancelled": RevocationCause.ORDER_CANCELLED,
  "in-app": RevocationCause.IN_APP,
};

export const certificateRevoke = defineCertificateChange<{ readonly cause: string; readonly reason?: string }>({
  name: "certificate revoke",
  description: "revoke a certificate",
  changes: "an active certificate",
  configure: (command) =>
    command
      .addOption(
        new Option("--cause <cause>", "cause recorded in the history").choices(Object.keys(causes)).default("in-app"),
      )
      .option("--reason <text>", "reason shown on the certificate; default: derived from the cause"),
  preview: (certificate) => `revoke ${certificate}`,
  apply: ({ lifecycle }, { certificateId, idempotencyKey }, { cause, reason = "" }) =>
    lifecycle.revokeCertificate({
      certificateId,
      idempotencyKey,
      cause: causes[cause] ?? RevocationCause.UNSPECIFIED,
      reason,
    }),
});
