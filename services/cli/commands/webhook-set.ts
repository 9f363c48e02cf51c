import { type Command, Option } from "commander";
import { WebhookFormat } from "#gen/registry/v1/notifier_service_pb.js";
import { chooseStore } from "../registry-client/choose-store.ts";
import { print, printError, runs } from "./command.ts";

/** `certctl webhook set <url>` */
export function addWebhookSet(parent: Command): void {
  const command = parent
    .command("set")
    .description("send the store's events to a URL from now on")
    .argument("<url>", "begins with https:// and names a public host")
    .addOption(new Option("--format <format>").choices(["v1", "v2"]).default("v2"))
    .option(
      "--create-secret",
      "make a new signing secret, shown once; it replaces the present one at once, where 'webhook rotate' has no gap",
      false,
    );
  runs<{ format: string; createSecret: boolean }>(command, async (client, options, [url = ""]) => {
    const { secret, replacedSecret } = await client.stores.setWebhook({
      storeId: await chooseStore(client, options.store),
      url,
      format: options.format === "v1" ? WebhookFormat.V1 : WebhookFormat.V2,
      createSecret: options.createSecret,
    });
    if (secret === "") return print("the webhook is set");
    if (replacedSecret) printError("receivers refuse messages from now on, until they know the new secret");
    printError("the webhook is set; its signing secret is shown only now:");
    print(secret);
  });
}
