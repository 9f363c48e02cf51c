import { defineCommand } from "../../command/command.ts";
import { type IdempotencyKeyOption, withIdempotencyKey } from "../../command/common-options.ts";
import { certificateLine, findCertificate, parseCertificate } from "../../registry-client/find-certificate.ts";

/** `certctl certificate new-link <id or serial>` */
export const certificateNewLink = defineCommand<IdempotencyKeyOption>({
  name: "certificate new-link",
  changes: "store",
  description: "replace the verification link of a certificate; the old link stops working",
  configure: (command) =>
    withIdempotencyKey(command.argument("<id or serial>", "id or serial number of a certificate in the store")),
  async run({ selectStore, output, options: { idempotencyKey = "" }, args: [selector = ""] }) {
    const store = await selectStore();
    const { id: certificateId } = await findCertificate(store, selector);
    const request = { certificateId, idempotencyKey };
    const changed = parseCertificate((await store.links.replaceLink(request)).certificate);
    output.result(changed.json, certificateLine(changed), changed.verifyUrl);
  },
});
