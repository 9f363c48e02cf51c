import { defineCommand } from "../../command/command.ts";
import { type IdempotencyKeyOption, withIdempotencyKey } from "../../command/common-options.ts";
import { findCertificate, parseCertificate } from "../../registry-client/find-certificate.ts";
import { showCertificate } from "./format.ts";

/** `certctl certificate reactivate <id or serial>` */
export const certificateReactivate = defineCommand<IdempotencyKeyOption>({
  name: "certificate reactivate",
  changes: "store",
  description: "make a revoked certificate valid again, unless it has expired",
  configure: (command) =>
    withIdempotencyKey(command.argument("<id or serial>", "id or serial number of a revoked certificate in the store")),
  async run({ selectStore, output, options: { idempotencyKey = "" }, args: [selector = ""] }) {
    const store = await selectStore();
    const { id: certificateId } = await findCertificate(store, selector);
    const request = { certificateId, idempotencyKey };
    const { certificate } = await store.lifecycle.reactivateCertificate(request);
    showCertificate(output, parseCertificate(certificate));
  },
});
