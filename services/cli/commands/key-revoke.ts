import type { Command } from "commander";
import { chooseStore } from "../registry-client/choose-store.ts";
import { print, runs } from "./command.ts";

/** `certctl key revoke <key-id>` */
export function addKeyRevoke(parent: Command): void {
  const command = parent
    .command("revoke")
    .description("revoke an API key; without --yes it only says what would happen")
    .argument("<key-id>", "as shown when the key was created")
    .option("--yes", "really revoke it", false);
  runs<{ yes: boolean }>(command, async (client, { store, yes }, [keyId = ""]) => {
    const storeId = await chooseStore(client, store);
    if (!yes) return print(`would revoke ${keyId}; add --yes to do it`);
    await client.stores.revokeApiKey({ storeId, keyId });
    print(`${keyId} is revoked`);
  });
}
