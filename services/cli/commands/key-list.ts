import type { Command } from "commander";
import { chooseStore } from "../registry-client/choose-store.ts";
import { apiKeyLine } from "../registry-client/find-api-key.ts";
import { print, runs } from "./command.ts";

/** `certctl key list` */
export function addKeyList(parent: Command): void {
  const command = parent
    .command("list")
    .description("list the valid keys, oldest first: id, first characters, created, last used, valid, label");
  runs(command, async (client, { store }) => {
    const { keys } = await client.stores.listApiKeys({ storeId: await chooseStore(client, store) });
    for (const key of keys) print(apiKeyLine(key));
  });
}
