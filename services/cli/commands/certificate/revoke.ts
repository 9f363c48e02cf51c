import { Option } from "commander";
import { RevocationCause } from "#gen/registry/v1/lifecycle_service_pb.js";
import { defineCommand } from "../../command/command.ts";
import {
  type IdempotencyKeyOption,
  withIdempotencyKey,
  withYes,
  type YesOption,
} from "../../command/common-options.ts";
import { certificateLine, findCertificate, parseCertificate } from "../../registry-client/find-certificate.ts";
import { showCertificate } from "./format.ts";

const causes: Readonly<Record<string, RevocationCause>> = {
  refund: RevocationCause.REFUND,
  "order-cancelled": RevocationCause.ORDER_CANCELLED,
  "in-app": RevocationCause.IN_APP,
};

interface RevokeOptions extends IdempotencyKeyOption, YesOption {
  readonly cause: string;
  readonly reason?: string;
}

/** `certctl certificate revoke <id or serial>` */
export const certificateRevoke = defineCommand<RevokeOptions>({
  name: "certificate revoke",
  changes: "store",
  description: "revoke a certificate",
  configure: (command) =>
    withIdempotencyKey(
      withYes(
        command
          .argument("<id or serial>", "id or serial number of an active certificate in the store")
          .addOption(
            new Option("--cause <cause>", "cause recorded in the history")
              .choices(Object.keys(causes))
              .default("in-app"),
          )
          .option("--reason <text>", "reason shown on the certificate; default: derived from the cause"),
      ),
    ),
  async run({ selectStore, output, options, args: [selector = ""] }) {
    const store = await selectStore();
    const found = await findCertificate(store, selector);
    if (!options.yes) return output.preview(`revoke ${certificateLine(found)}`, { certificate: found.json });
    const { certificate } = await store.lifecycle.revokeCertificate({
      certificateId: found.id,
      cause: causes[options.cause] ?? RevocationCause.UNSPECIFIED,
      reason: options.reason ?? "",
      idempotencyKey: options.idempotencyKey ?? "",
    });
    showCertificate(output, parseCertificate(certificate));
  },
});
