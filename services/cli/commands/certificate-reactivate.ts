import type { Command } from "commander";
import { chooseStore } from "../registry-client/choose-store.ts";
import { certificateIn, findCertificate, lineOf } from "../registry-client/find-certificate.ts";
import { print, runs } from "./command.ts";
import { type RequestIdOption, withRequestId } from "./idempotency-key.ts";

/** `certctl certificate reactivate <id or serial>` */
export function addCertificateReactivate(parent: Command): void {
  const command = parent
    .command("reactivate")
    .description("make a revoked certificate valid again, unless it is past its date")
    .argument("<id or serial>", "a revoked certificate of the store");
  runs<RequestIdOption>(
    withRequestId(command),
    async (client, { store, idempotencyKey }, [selector = ""]) => {
      const storeId = await chooseStore(client, store);
      const { id: certificateId } = await findCertificate(client, storeId, selector);
      const { certificate } = await client.lifecycle.reactivateCertificate({
        storeId,
        certificateId,
        idempotencyKey,
      });
      print(lineOf(certificateIn(certificate)));
    },
  );
}
