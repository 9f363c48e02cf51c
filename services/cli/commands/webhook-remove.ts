import { defineCommand } from "./command.ts";
import { withYes, type YesOption } from "./common-options.ts";

/** `certctl webhook remove` */
export const webhookRemove = defineCommand<YesOption>({
  name: "webhook remove",
  changes: "store",
  description: "stop sending events to the webhook, and delete its signing secret",
  configure: withYes,
  async run({ client, storeId, output, options: { yes } }) {
    const id = await storeId();
    if (!yes) return output.preview("remove the webhook and its signing secret", {});
    await client.stores.setWebhook({ storeId: id, url: "" });
    output.result({ webhook: null }, "removed the webhook");
  },
});
