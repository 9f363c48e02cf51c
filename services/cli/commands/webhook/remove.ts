import { defineCommand } from "../../command/command.ts";
import { withYes, type YesOption } from "../../command/common-options.ts";

export const webhookRemove = defineCommand<YesOption>({
  name: "webhook remove",
  changes: "store",
  description: "stop sending events to the webhook, and delete its signing secret",
  configure: withYes,
  async run({ selectStore, output, options: { yes } }) {
    const { stores } = await selectStore();
    if (!yes) return output.preview("remove the webhook and its signing secret", {});
    await stores.setWebhook({ url: "" });
    output.result({ webhook: null }, "removed the webhook");
  },
});
