import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { IssueOutcome, type IssueResult } from "#gen/registry/v1/issuing_service_pb.js";
import { ServiceError } from "#shared/errors/service-error.ts";
import { toServiceError } from "#shared/rpc/error-conversion.ts";
import { receivedReason } from "#shared/rpc/reason-messages.ts";
import { defineCommand } from "../../command/command.ts";
import { type IdempotencyKeyOption, withIdempotencyKey } from "../../command/common-options.ts";
import { parseEmail, parseTime } from "../../command/option-values.ts";
import type { Output } from "../../output/output.ts";
import { UsageError } from "../../output/usage-error.ts";
import { findCertificate } from "../../registry-client/find-certificate.ts";
import type { StoreCalls } from "../../registry-client/operator-client.ts";

interface IssueOptions extends IdempotencyKeyOption {
  readonly title?: string;
  readonly variant?: string;
  readonly sku?: string;
  readonly name: string;
  readonly email: string;
  readonly expires?: Timestamp;
}

export const certificateIssue = defineCommand<IssueOptions>({
  name: "certificate issue",
  changes: "store",
  description: "issue one certificate, and print its id, its serial number and, below, its link",
  configure: (command) =>
    withIdempotencyKey(
      command
        .option("--title <text>", "product title; required unless the catalogue contains the SKU, whose title it has")
        .option("--variant <text>", "product variant; ignored if the catalogue contains the SKU")
        .option("--sku <sku>", "stock-keeping unit")
        .requiredOption("--name <name>", "name of the owner")
        .requiredOption("--email <address>", "e-mail address of the owner", parseEmail)
        .option("--expires <time>", "when the certificate expires (RFC 3339); default: never", parseTime),
    ),
  async run({ selectStore, output, options }) {
    const { title = "", variant = "", sku = "", name, email, expires, idempotencyKey = "" } = options;
    if (title === "" && sku === "") throw new UsageError("Give --title, or the --sku of a product in the catalogue.");
    const expiry = expires && { expiresAt: expires };
    const items = [{ product: { title, variant, sku }, buyer: { name, email }, ...expiry }];
    const store = await selectStore();
    const { results } = await store.issuing.issueCertificates({ items, idempotencyKey });
    const [result] = results;
    if (title === "" && result?.field === "product.title")
      throw new UsageError(`The catalogue does not contain the SKU ${sku}. Give --title.`);
    if (result?.outcome !== IssueOutcome.ISSUED) throw refusalOf(result);
    await showIssued(output, store, result);
  },
});

function refusalOf(result: IssueResult | undefined): Error {
  const why = receivedReason(result?.reason);
  if (result === undefined || why === undefined) return new Error("The registry did not issue the certificate.");
  const { outcome, field } = result;
  return new ServiceError(outcome === IssueOutcome.INVALID ? "bad_request" : "failed_precondition", why, { field });
}

/** Prints an issued certificate. If it cannot be read, prints its id, so that it is not issued again. */
async function showIssued(output: Output, store: StoreCalls, { certificateId: id, serial }: IssueResult) {
  try {
    const { json, verifyUrl } = await findCertificate(store, id);
    output.result(json, `${id}  ${serial}`, verifyUrl);
  } catch (error) {
    output.note(`The certificate is issued, but its link cannot be read: ${toServiceError(error).message}`);
    output.result({ id, serial }, `${id}  ${serial}`);
  }
}
