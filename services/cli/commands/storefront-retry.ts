import { defineCommand } from "./command.ts";

/** `certctl storefront retry` */
export const storefrontRetry = defineCommand({
  name: "storefront retry",
  changes: "store",
  description: "work again on all failed messages and orders of the store",
  async run({ client, storeId, output }) {
    const { retriedCount } = await client.storefront.retryStorefront({ storeId: await storeId() });
    output.result({ retriedCount }, `${retriedCount} failed messages and orders are tried again`);
  },
});
