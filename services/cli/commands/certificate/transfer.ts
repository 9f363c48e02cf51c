import { printable } from "#shared/text/printable.ts";
import { defineCommand } from "../../command/command.ts";
import {
  type IdempotencyKeyOption,
  withIdempotencyKey,
  withYes,
  type YesOption,
} from "../../command/common-options.ts";
import { parseEmail } from "../../command/option-values.ts";
import { certificateLine, findCertificate, parseCertificate } from "../../registry-client/find-certificate.ts";
import { showCertificate } from "./format.ts";

interface TransferOptions extends IdempotencyKeyOption, YesOption {
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
      withYes(
        command
          .argument("<id or serial>", "id or serial number of an active certificate in the store")
          .requiredOption("--name <name>", "name of the new owner")
          .requiredOption("--email <address>", "e-mail address of the new owner", parseEmail),
      ),
    ),
  async run({ selectStore, output, options, args: [selector = ""] }) {
    const store = await selectStore();
    const found = await findCertificate(store, selector);
    const { name, email } = options;
    if (!options.yes)
      return output.preview(printable(`transfer ${certificateLine(found)} to ${name} <${email}>`), {
        certificate: found.json,
      });
    const { certificate, unchanged } = await store.lifecycle.transferCertificate({
      certificateId: found.id,
      newOwnerName: name,
      newOwnerEmail: email,
      idempotencyKey: options.idempotencyKey ?? "",
    });
    if (unchanged) output.note("unchanged: the certificate already has this owner, so no message was sent");
    showCertificate(output, parseCertificate(certificate));
  },
});
