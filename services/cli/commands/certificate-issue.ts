import type { Command } from "commander";
import { IssueOutcome } from "#gen/registry/v1/issuing_service_pb.js";
import { chooseStore } from "../registry-client/choose-store.ts";
import { print, runs } from "./command.ts";

interface IssueOptions {
  readonly title: string;
  readonly variant: string;
  readonly sku: string;
  readonly name: string;
  readonly email: string;
}

/** `certctl certificate issue` */
export function addCertificateIssue(parent: Command): void {
  const command = parent
    .command("issue")
    .description("issue one certificate by hand")
    .requiredOption("--title <text>", "product title; a SKU of the catalogue wins")
    .option("--variant <text>", "variant", "")
    .option("--sku <sku>", "stock-keeping unit", "")
    .requiredOption("--name <name>", "the owner's name")
    .requiredOption("--email <address>", "the owner's e-mail address");
  runs<IssueOptions>(command, async (client, { store, title, variant, sku, name, email }) => {
    const storeId = await chooseStore(client, store);
    const items = [{ product: { title, variant, sku }, buyer: { name, email } }];
    const { results } = await client.issuing.issueCertificates({ storeId, items });
    const [result] = results;
    if (result?.outcome !== IssueOutcome.ISSUED) throw new Error(result?.message ?? "nothing was issued");
    print(`${result.certificateId}  ${result.serial}`);
  });
}
