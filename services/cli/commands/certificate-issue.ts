import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { IssueOutcome } from "#gen/registry/v1/issuing_service_pb.js";
import { defineCommand } from "./command.ts";
import { type IdempotencyKeyOption, withIdempotencyKey } from "./common-options.ts";
import { parseTime } from "./option-values.ts";

interface IssueOptions extends IdempotencyKeyOption {
  readonly title: string;
  readonly variant?: string;
  readonly sku?: string;
  readonly name: string;
  readonly email: string;
  readonly expires?: Timestamp;
}

/** `certctl certificate issue` */
export const certificateIssue = defineCommand<IssueOptions>({
  name: "certificate issue",
  changes: "store",
  description: "issue one certificate",
  configure: (command) =>
    withIdempotencyKey(
      command
        .requiredOption("--title <text>", "product title; ignored if the catalogue contains the SKU")
        .option("--variant <text>", "product variant; ignored if the catalogue contains the SKU")
        .option("--sku <sku>", "stock-keeping unit")
        .requiredOption("--name <name>", "name of the owner")
        .requiredOption("--email <address>", "e-mail address of the owner")
        .option("--expires <time>", "when the certificate expires (RFC 3339); default: never", parseTime),
    ),
  async run({ client, storeId, output, options }) {
    const { title, variant = "", sku = "", name, email, expires, idempotencyKey = "" } = options;
    const expiry = expires && { expiresAt: expires };
    const items = [{ product: { title, variant, sku }, buyer: { name, email }, ...expiry }];
    const request = { storeId: await storeId(), items, idempotencyKey };
    const { results } = await client.issuing.issueCertificates(request);
    const [result] = results;
    if (result?.outcome !== IssueOutcome.ISSUED)
      throw new Error(result?.message ?? "The registry did not issue the certificate.");
    const { certificateId, serial } = result;
    output.result({ id: certificateId, serial }, `${certificateId}  ${serial}`);
  },
});
