import { certificateLine, findCertificate, parseCertificate } from "../registry-client/find-certificate.ts";
import { defineCommand } from "./command.ts";
import { type IdempotencyKeyOption, withIdempotencyKey } from "./common-options.ts";

/** `certctl certificate new-link <id or serial>` */
export const certificateNewLink = defineCommand<IdempotencyKeyOption>({
  name: "certificate new-link",
  changes: "store",
  description: "replace the verification link of a certificate; the old link stops working",
  configure: (command) =>
    withIdempotencyKey(command.argument("<id or serial>", "id or serial number of a certificate in the store")),
  async run({ client, storeId, output, options: { idempotencyKey = "" }, args: [selector = ""] }) {
    const id = await storeId();
    const { id: certificateId } = await findCertificate(client, id, selector);
    const request = { storeId: id, certificateId, idempotencyKey };
    const changed = parseCertificate((await client.links.replaceLink(request)).certificate);
    output.result(changed.json, certificateLine(changed), changed.verifyUrl);
  },
});
