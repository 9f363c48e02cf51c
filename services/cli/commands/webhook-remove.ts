import type { Command } from "commander";
import { chooseStore } from "../registry-client/choose-store.ts";
import { print, runs } from "./command.ts";

/** `certctl webhook remove` */
export function addWebhookRemove(parent: Command): void {
  const command = parent
    .command("remove")
    .description("send no more events, and forget the signing secret; without --yes it only says so")
    .option("--yes", "really remove it", false);
  runs<{ yes: boolean }>(command, async (client, { store, yes }) => {
    const storeId = await chooseStore(client, store);
    if (!yes) return print("would remove the webhook and its secret; add --yes to do it");
    await client.stores.setWebhook({ storeId, url: "" });
    print("the webhook is removed");
  });
}
