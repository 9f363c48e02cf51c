import { type Command, Option } from "commander";
import { WebhookFormat } from "#gen/registry/v1/notifier_service_pb.js";
import { chooseStore } from "../registry-client/choose-store.ts";
import { print, printError, runs } from "./command.ts";
import { enumName } from "./enum-name.ts";

const formats = new Map([
  ["v1", WebhookFormat.V1],
  ["v2", WebhookFormat.V2],
]);

/** `certctl webhook set <url>` */
export function addWebhookSet(parent: Command): void {
  const command = parent
    .command("set")
    .description("send the store's events to a URL from now on")
    .argument("<url>", "begins with https:// and names a public host")
    .addOption(
      new Option("--format <format>", "default the present one; v2 where no URL is set yet").choices([
        ...formats.keys(),
      ]),
    )
    .option(
      "--create-secret",
      "make a new signing secret, shown once; it replaces the present one at once, where 'webhook rotate' has no gap",
      false,
    );
  runs<{ format?: string; createSecret: boolean }>(command, async (client, options, [url = ""]) => {
    if (url === "") throw new Error("The URL is empty. To remove the webhook: certctl webhook remove --yes");
    const { secret, replacedSecret, webhook } = await client.stores.setWebhook({
      storeId: await chooseStore(client, options.store),
      url,
      format: formats.get(options.format ?? "") ?? WebhookFormat.UNSPECIFIED,
      createSecret: options.createSecret,
    });
    const done = `the webhook is set, with format ${enumName(WebhookFormat, webhook?.format ?? WebhookFormat.UNSPECIFIED)}`;
    if (secret === "") {
      print(done);
      if (webhook?.secrets.length === 0)
        print("messages are not signed; to sign them: certctl webhook set <url> --create-secret");
      return;
    }
    if (replacedSecret) printError("receivers refuse messages from now on, until they know the new secret");
    printError(`${done}; its signing secret is shown only now:`);
    print(secret);
  });
}
