import { defineCommand } from "../../command/command.ts";

export const storefrontRetry = defineCommand({
  name: "storefront retry",
  changes: "store",
  description: "retry failed messages and orders, except messages that the edge could not translate",
  async run({ selectStore, output }) {
    const { storefront } = await selectStore();
    const { retriedCount } = await storefront.retryStorefront({});
    output.result({ retriedCount }, `failed messages and orders to be retried: ${retriedCount}`);
  },
});
