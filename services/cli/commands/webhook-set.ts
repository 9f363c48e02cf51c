import { Option } from "commander";
import { WebhookFormat } from "#gen/registry/v1/notifier_service_pb.js";
import { defineCommand } from "./command.ts";
import { enumChoices, enumName } from "./enum-names.ts";
import { print, printError } from "./print.ts";

const formats = enumChoices(WebhookFormat);

interface SetOptions {
  readonly format?: string;
  readonly createSecret?: boolean;
}

/** `certctl webhook set <url>` */
export const webhookSet = defineCommand<SetOptions>({
  name: "webhook set",
  changes: "store",
  description: "send the events of the store to a URL",
  configure: (command) =>
    command
      .argument("<url>", "https:// URL of a public host")
      .addOption(
        new Option("--format <format>", "message format; default: the current format, or v2 for a new webhook").choices(
          [...formats.keys()],
        ),
      )
      .option(
        "--create-secret",
        "create a signing secret, shown once; it replaces the current secret immediately, unlike 'webhook rotate'",
      ),
  async run({ client, storeId, options, args: [url = ""] }) {
    if (url === "") throw new Error("The URL is empty. To remove the webhook: certctl webhook remove --yes");
    const { secret, replacedSecret, webhook } = await client.stores.setWebhook({
      storeId: await storeId(),
      url,
      format: formats.get(options.format ?? "") ?? WebhookFormat.UNSPECIFIED,
      createSecret: options.createSecret ?? false,
    });
    const done = `the webhook is set with format ${enumName(WebhookFormat, webhook?.format ?? WebhookFormat.UNSPECIFIED)}`;
    if (secret === "") {
      print(done);
      if (webhook?.secrets.length === 0)
        print("messages are not signed; to sign them: certctl webhook set <url> --create-secret");
      return;
    }
    if (replacedSecret) printError("receivers refuse messages until they have the new secret");
    printError(`${done}; its signing secret is shown only once:`);
    print(secret);
  },
});
