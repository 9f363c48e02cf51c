import { apiKeyFormat } from "./api-key-format.ts";
import { defineCommand } from "./command.ts";

/** `certctl key list` */
export const keyList = defineCommand({
  name: "key list",
  changes: "nothing",
  description: "list the valid API keys, oldest first: id, first characters, creation time, last use, validity, label",
  async run({ client, storeId, output }) {
    const { keys } = await client.stores.listApiKeys({ storeId: await storeId() });
    keys.forEach(output.list(apiKeyFormat));
  },
});
