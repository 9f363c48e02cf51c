import { defineCommand } from "./command.ts";
import { webhookDocument, webhookLines } from "./webhook-lines.ts";

/** `certctl webhook show` */
export const webhookShow = defineCommand({
  name: "webhook show",
  changes: "nothing",
  description: "print the webhook's URL and format, and each signing secret's role, creation time and signature header",
  async run({ client, storeId, output }) {
    const { webhook } = await client.stores.getWebhook({ storeId: await storeId() });
    output.result({ webhook: webhookDocument(webhook) }, ...webhookLines(webhook));
  },
});
