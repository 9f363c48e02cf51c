import type { Command } from "commander";
import { chooseStore } from "../registry-client/choose-store.ts";
import { print, printError, runs } from "./command.ts";

/** `certctl key create` */
export function addKeyCreate(parent: Command): void {
  const command = parent
    .command("create")
    .description("create an API key; it is shown once")
    .option("--label <text>", "what the key is for", "certctl");
  runs<{ label: string }>(command, async (client, { store, label }) => {
    const storeId = await chooseStore(client, store);
    const { apiKey, keyId } = await client.stores.createApiKey({ storeId, label });
    printError(`key id ${keyId}; the key is shown only now:`);
    print(apiKey);
  });
}
