import { defineCommand } from "../../command/command.ts";

export const keyCreate = defineCommand<{ readonly label: string }>({
  name: "key create",
  changes: "store",
  description: "create an API key, shown once",
  configure: (command) => command.option("--label <text>", "purpose of the key", "certctl"),
  async run({ selectStore, output, options: { label } }) {
    const { stores } = await selectStore();
    const { apiKey, keyId } = await stores.createApiKey({ label });
    output.note(`key id ${keyId}; the key is shown only once:`);
    output.result({ keyId, apiKey }, apiKey);
  },
});
