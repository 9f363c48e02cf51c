import { defineCommand } from "./command.ts";
import { withYes, type YesOption } from "./common-options.ts";
import { print } from "./print.ts";

/** `certctl webhook remove` */
export const webhookRemove = defineCommand<YesOption>({
  name: "webhook remove",
  changes: "store",
  description: "stop sending events, and delete the signing secret",
  configure: withYes,
  async run({ client, storeId, options: { yes } }) {
    const id = await storeId();
    if (!yes) return print("would remove the webhook and its signing secret; rerun with --yes to apply");
    await client.stores.setWebhook({ storeId: id, url: "" });
    print("the webhook is removed");
  },
});
