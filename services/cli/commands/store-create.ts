import { type Command, Option } from "commander";
import { EditionStyle, Plan } from "#gen/registry/v1/store_admin_service_pb.js";
import { print, runs } from "./command.ts";

const plans: Readonly<Record<string, Plan>> = { basic: Plan.BASIC, pro: Plan.PRO };

const styles: Readonly<Record<string, EditionStyle>> = {
  "number-total": EditionStyle.NUMBER_TOTAL,
  "zero-padded": EditionStyle.ZERO_PADDED,
  "no-of": EditionStyle.NO_OF,
  number: EditionStyle.NUMBER,
};

/** `certctl store create <domain>` */
export function addStoreCreate(parent: Command): void {
  const command = parent
    .command("create")
    .description("create a store, or show the one that has this domain already")
    .argument("<domain>", "the store's domain on the storefront platform")
    .addOption(new Option("--plan <plan>").choices(Object.keys(plans)).default("basic"))
    .addOption(new Option("--edition-style <style>").choices(Object.keys(styles)).default("number-total"))
    .option("--verify-url <url>", "where verification links point; default: the service's own address", "")
    .option("--language <tag>", "language of the verification pages", "en");
  runs<{ plan: string; editionStyle: string; verifyUrl: string; language: string }>(
    command,
    async (client, options, [shop = ""]) => {
      const { store } = await client.stores.createStore({
        shop,
        plan: plans[options.plan] ?? Plan.UNSPECIFIED,
        editionStyle: styles[options.editionStyle] ?? EditionStyle.UNSPECIFIED,
        verifyBaseUrl: options.verifyUrl,
        language: options.language,
      });
      print(store?.id ?? "");
    },
  );
}
