import { findCertificate, parseCertificate } from "../registry-client/find-certificate.ts";
import { showCertificate } from "./certificate-format.ts";
import { defineCommand } from "./command.ts";
import { type IdempotencyKeyOption, withIdempotencyKey } from "./common-options.ts";

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
  async run({ client, storeId, output, options, args: [selector = ""] }) {
    const id = await storeId();
    const { id: certificateId } = await findCertificate(client, id, selector);
    const { certificate, unchanged } = await client.lifecycle.transferCertificate({
      storeId: id,
      certificateId,
      newOwnerName: options.name,
      newOwnerEmail: options.email,
      idempotencyKey: options.idempotencyKey ?? "",
    });
    if (unchanged) output.note("unchanged: the certificate already has this owner, so no message was sent");
    showCertificate(output, parseCertificate(certificate));
  },
});
