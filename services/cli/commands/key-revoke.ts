import type { Command } from "commander";
import { chooseStore } from "../registry-client/choose-store.ts";
import { apiKeyLine, findApiKey } from "../registry-client/find-api-key.ts";
import { print, runs } from "./command.ts";

/** `certctl key revoke <key-id>` */
export function addKeyRevoke(parent: Command): void {
  const command = parent
    .command("revoke")
    .description("revoke an API key; without --yes it only shows which")
    .argument("<key-id>", "as certctl key list shows it")
    .option("--yes", "really revoke it", false);
  runs<{ yes: boolean }>(command, async (client, { store, yes }, [keyId = ""]) => {
    const storeId = await chooseStore(client, store);
    const key = await findApiKey(client, storeId, keyId);
    if (!yes) return print(`would revoke ${apiKeyLine(key)}; add --yes to do it`);
    await client.stores.revokeApiKey({ storeId, keyId });
    print(`${keyId} is revoked`);
  });
}
