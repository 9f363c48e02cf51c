import { Option } from "commander";
import { WebhookFormat } from "#gen/registry/v1/notifier_service_pb.js";
import { saveUnlessChanged } from "#shared/rpc/save-unless-changed.ts";
import { defineCommand } from "../../command/command.ts";
import type { YesOption } from "../../command/common-options.ts";
import { enumChoices, enumName } from "../../command/enum-names.ts";
import { UsageError } from "../../output/usage-error.ts";
import { webhookDocument } from "./format.ts";

const formats = enumChoices(WebhookFormat);

const replacedWarning = "receivers refuse messages until they have the new secret";
const urlChanged =
  "Another caller has changed the webhook's URL, or removed it, at the same time. This command has changed nothing. " +
  "See 'certctl webhook show', and repeat the command to set your URL.";

export const webhookSet = defineCommand<YesOption & { readonly format?: string; readonly createSecret?: boolean }>({
  name: "webhook set",
  changes: "store",
  description: "set the webhook URL, to which the store's events are sent",
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
        "create a signing secret, shown once; it replaces the current secret immediately, unlike with 'webhook rotate'",
      )
      .option(
        "--yes",
        "replace the current secret; without this option, --create-secret only previews the replacement",
      ),
  async run({ selectStore, output, options, args: [url = ""] }) {
    if (url === "")
      throw new UsageError("The URL is empty. To remove the webhook, run 'certctl webhook remove --yes'.");
    const { stores } = await selectStore();
    const { format = "", createSecret = false, yes = false } = options;
    const request = { url, format: formats.get(format) ?? WebhookFormat.UNSPECIFIED, createSecret };
    let firstUrl: string | undefined;
    const setWithFirstSecret = async () => {
      const { webhook: current } = await stores.getWebhook({});
      const { url: currentUrl = "", secrets = [], version = "" } = current ?? {};
      if (secrets.length > 0) return undefined;
      firstUrl ??= currentUrl;
      if (currentUrl !== firstUrl) throw new Error(urlChanged);
      return stores.setWebhook({ ...request, expectedVersion: version });
    };
    const set = await (createSecret && !yes ? saveUnlessChanged(setWithFirstSecret) : stores.setWebhook(request));
    if (set === undefined)
      return output.preview(`set the webhook and replace its signing secret: ${replacedWarning}`, {});
    const { secret, replacedSecret, webhook } = set;
    const done = `the webhook is set with format ${enumName(WebhookFormat, webhook?.format ?? WebhookFormat.UNSPECIFIED)}`;
    const document = { webhook: webhookDocument(webhook), secret: secret || null };
    if (secret === "") {
      const unsigned = "messages are not signed; to sign them, run 'certctl webhook set <url> --create-secret'";
      return output.result(document, done, ...(webhook?.secrets.length === 0 ? [unsigned] : []));
    }
    if (replacedSecret) output.note(replacedWarning);
    output.note(`${done}; its signing secret is shown only once:`);
    output.result(document, secret);
  },
});
