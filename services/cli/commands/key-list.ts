import { apiKeyLine } from "../registry-client/find-api-key.ts";
import { defineCommand } from "./command.ts";
import { print } from "./print.ts";

/** `certctl key list` */
export const keyList = defineCommand({
  name: "key list",
  changes: "nothing",
  description: "list the valid API keys, oldest first: id, first characters, creation, last use, validity, label",
  async run({ client, storeId }) {
    const { keys } = await client.stores.listApiKeys({ storeId: await storeId() });
    for (const key of keys) print(apiKeyLine(key));
  },
});
