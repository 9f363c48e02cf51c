import type { Command } from "commander";
import { chooseStore } from "../registry-client/choose-store.ts";
import { certificateIn, findCertificate, lineOf } from "../registry-client/find-certificate.ts";
import { print, runs } from "./command.ts";
import { type RequestIdOption, withRequestId } from "./idempotency-key.ts";

interface TransferOptions extends RequestIdOption {
  readonly name: string;
  readonly email: string;
}

/** `certctl certificate transfer <id or serial>` */
export function addCertificateTransfer(parent: Command): void {
  const command = parent
    .command("transfer")
    .description("give an active certificate a new owner; its original buyer stays")
    .argument("<id or serial>", "an active certificate of the store")
    .requiredOption("--name <name>", "the new owner's name")
    .requiredOption("--email <address>", "the new owner's e-mail address");
  runs<TransferOptions>(withRequestId(command), async (client, options, [selector = ""]) => {
    const storeId = await chooseStore(client, options.store);
    const { id: certificateId } = await findCertificate(client, storeId, selector);
    const { certificate } = await client.lifecycle.transferCertificate({
      storeId,
      certificateId,
      newOwnerName: options.name,
      newOwnerEmail: options.email,
      idempotencyKey: options.idempotencyKey,
    });
    print(lineOf(certificateIn(certificate)));
  });
}
