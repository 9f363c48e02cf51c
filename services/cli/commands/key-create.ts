import { defineCommand } from "./command.ts";

/** `certctl key create` */
export const keyCreate = defineCommand<{ readonly label: string }>({
  name: "key create",
  changes: "store",
  description: "create an API key, shown once",
  configure: (command) => command.option("--label <text>", "purpose of the key", "certctl"),
  async run({ client, storeId, output, options: { label } }) {
    const { apiKey, keyId } = await client.stores.createApiKey({ storeId: await storeId(), label });
    output.note(`key id ${keyId}; the key is shown only once:`);
    output.result({ keyId, apiKey }, apiKey);
  },
});
