import { defineCommand } from "../../command/command.ts";
import { type IdempotencyKeyOption, withIdempotencyKey } from "../../command/common-options.ts";
import { findCertificate, parseCertificate } from "../../registry-client/find-certificate.ts";
import { showCertificate } from "./format.ts";

interface TransferOptions extends IdempotencyKeyOption {
  readonly name: string;
  readonly email: string;
}

/** `certctl certificate transfer <id or serial>` */
export const certificateTransfer = defineCommand<TransferOptions>({
  name: "certificate transfer",
  changes: "store",
  description: "transfer an active certificate to a new owner; the recorded buyer does not change",
  configure: (command) =>
    withIdempotencyKey(
      command
        .argument("<id or serial>", "id or serial number of an active certificate in the store")
        .requiredOption("--name <name>", "name of the new owner")
        .requiredOption("--email <address>", "e-mail address of the new owner"),
    ),
  async run({ selectStore, output, options, args: [selector = ""] }) {
    const store = await selectStore();
    const { id: certificateId } = await findCertificate(store, selector);
    const { certificate, unchanged } = await store.lifecycle.transferCertificate({
      certificateId,
      newOwnerName: options.name,
      newOwnerEmail: options.email,
      idempotencyKey: options.idempotencyKey ?? "",
    });
    if (unchanged) output.note("unchanged: the certificate already has this owner, so no message was sent");
    showCertificate(output, parseCertificate(certificate));
  },
});
