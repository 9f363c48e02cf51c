import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { IssueOutcome, type IssueResult } from "#gen/registry/v1/issuing_service_pb.js";
import { defineCommand } from "../../command/command.ts";
import { type IdempotencyKeyOption, withIdempotencyKey } from "../../command/common-options.ts";
import { parseTime } from "../../command/option-values.ts";

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
  async run({ selectStore, output, options }) {
    const { title, variant = "", sku = "", name, email, expires, idempotencyKey = "" } = options;
    const expiry = expires && { expiresAt: expires };
    const items = [{ product: { title, variant, sku }, buyer: { name, email }, ...expiry }];
    const { issuing } = await selectStore();
    const { results } = await issuing.issueCertificates({ items, idempotencyKey });
    const [result] = results;
    if (result?.outcome !== IssueOutcome.ISSUED) throw new Error(refusalText(result));
    const { certificateId, serial } = result;
    output.result({ id: certificateId, serial }, `${certificateId}  ${serial}`);
  },
});

function refusalText(result: IssueResult | undefined): string {
  if (result?.reason === undefined) return "The registry did not issue the certificate.";
  const { outcome, field, reason } = result;
  return outcome === IssueOutcome.INVALID ? `${field} is invalid: ${reason.text}` : reason.text;
}
