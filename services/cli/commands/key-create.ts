import { defineCommand } from "./command.ts";
import { print, printError } from "./print.ts";

/** `certctl key create` */
export const keyCreate = defineCommand<{ readonly label: string }>({
  name: "key create",
  changes: "store",
  description: "create an API key, shown once",
  configure: (command) => command.option("--label <text>", "purpose of the key", "certctl"),
  async run({ client, storeId, options: { label } }) {
    const { apiKey, keyId } = await client.stores.createApiKey({ storeId: await storeId(), label });
    printError(`key id ${keyId}; the key is shown only once:`);
    print(apiKey);
  },
});
