import { defineCommand } from "../../command/command.ts";
import { apiKeyFormat } from "./format.ts";

export const keyList = defineCommand({
  name: "key list",
  changes: "nothing",
  description:
    "list the valid API keys, oldest first: id, first characters, creation time, last use (up to 2 minutes late), validity, label",
  async run({ selectStore, output }) {
    const { stores } = await selectStore();
    const { keys } = await stores.listApiKeys({});
    keys.forEach(output.list(apiKeyFormat));
  },
});
