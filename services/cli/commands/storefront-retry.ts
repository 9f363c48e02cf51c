import { defineCommand } from "./command.ts";

/** `certctl storefront retry` */
export const storefrontRetry = defineCommand({
  name: "storefront retry",
  changes: "store",
  description: "retry failed messages and orders, except messages that the edge could not translate",
  async run({ client, storeId, output }) {
    const { retriedCount } = await client.storefront.retryStorefront({ storeId: await storeId() });
    output.result({ retriedCount }, `failed messages and orders to be retried: ${retriedCount}`);
  },
});
