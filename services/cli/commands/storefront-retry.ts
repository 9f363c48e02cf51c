import { defineCommand } from "./command.ts";

/** `certctl storefront retry` */
export const storefrontRetry = defineCommand({
  name: "storefront retry",
  changes: "store",
  description: "try failed messages and orders again, except messages that could not be translated",
  async run({ client, storeId, output }) {
    const { retriedCount } = await client.storefront.retryStorefront({ storeId: await storeId() });
    output.result({ retriedCount }, `failed messages and orders that are tried again: ${retriedCount}`);
  },
});
