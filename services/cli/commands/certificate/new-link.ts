import { defineCommand } from "../../command/command.ts";
import {
  type IdempotencyKeyOption,
  withIdempotencyKey,
  withYes,
  type YesOption,
} from "../../command/common-options.ts";
import { certificateLine, findCertificate, parseCertificate } from "../../registry-client/find-certificate.ts";

/** `certctl certificate new-link <id or serial>` */
export const certificateNewLink = defineCommand<IdempotencyKeyOption & YesOption>({
  name: "certificate new-link",
  changes: "store",
  description: "replace the verification link of a certificate; the old link stops working",
  configure: (command) =>
    withIdempotencyKey(
      withYes(command.argument("<id or serial>", "id or serial number of a certificate in the store")),
    ),
  async run({ selectStore, output, options: { idempotencyKey = "", yes }, args: [selector = ""] }) {
    const store = await selectStore();
    const found = await findCertificate(store, selector);
    if (!yes) {
      const action = `replace the link of ${certificateLine(found)}, whose present link would stop working`;
      return output.preview(action, { certificate: found.json });
    }
    const request = { certificateId: found.id, idempotencyKey };
    const changed = parseCertificate((await store.links.replaceLink(request)).certificate);
    output.result(changed.json, certificateLine(changed), changed.verifyUrl);
  },
});
