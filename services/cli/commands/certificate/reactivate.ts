import { defineCommand } from "../../command/command.ts";
import {
  type IdempotencyKeyOption,
  withIdempotencyKey,
  withYes,
  type YesOption,
} from "../../command/common-options.ts";
import { certificateLine, findCertificate, parseCertificate } from "../../registry-client/find-certificate.ts";
import { showCertificate } from "./format.ts";

/** `certctl certificate reactivate <id or serial>` */
export const certificateReactivate = defineCommand<IdempotencyKeyOption & YesOption>({
  name: "certificate reactivate",
  changes: "store",
  description: "make a revoked certificate valid again, unless it has expired",
  configure: (command) =>
    withIdempotencyKey(
      withYes(command.argument("<id or serial>", "id or serial number of a revoked certificate in the store")),
    ),
  async run({ selectStore, output, options: { idempotencyKey = "", yes }, args: [selector = ""] }) {
    const store = await selectStore();
    const found = await findCertificate(store, selector);
    if (!yes) return output.preview(`reactivate ${certificateLine(found)}`, { certificate: found.json });
    const request = { certificateId: found.id, idempotencyKey };
    const { certificate } = await store.lifecycle.reactivateCertificate(request);
    showCertificate(output, parseCertificate(certificate));
  },
});
