import { findCertificate, parseCertificate } from "../registry-client/find-certificate.ts";
import { showCertificate } from "./certificate-format.ts";
import { defineCommand } from "./command.ts";
import { type IdempotencyKeyOption, withIdempotencyKey } from "./common-options.ts";

/** `certctl certificate reactivate <id or serial>` */
export const certificateReactivate = defineCommand<IdempotencyKeyOption>({
  name: "certificate reactivate",
  changes: "store",
  description: "make a revoked certificate valid again, unless it has expired",
  configure: (command) =>
    withIdempotencyKey(command.argument("<id or serial>", "id or serial number of a revoked certificate in the store")),
  async run({ client, storeId, output, options: { idempotencyKey = "" }, args: [selector = ""] }) {
    const id = await storeId();
    const { id: certificateId } = await findCertificate(client, id, selector);
    const request = { storeId: id, certificateId, idempotencyKey };
    const { certificate } = await client.lifecycle.reactivateCertificate(request);
    showCertificate(output, parseCertificate(certificate));
  },
});
