import { defineCommand } from "../../command/command.ts";
import { webhookDocument, webhookLines } from "./format.ts";

export const webhookShow = defineCommand({
  name: "webhook show",
  changes: "nothing",
  description: "print the webhook's URL and format, and each signing secret's role, creation time and signature header",
  async run({ selectStore, output }) {
    const { stores } = await selectStore();
    const { webhook } = await stores.getWebhook({});
    output.result({ webhook: webhookDocument(webhook) }, ...webhookLines(webhook));
  },
});
