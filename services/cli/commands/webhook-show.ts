import type { Command } from "commander";
import { chooseStore } from "../registry-client/choose-store.ts";
import { print, runs } from "./command.ts";
import { webhookLines } from "./webhook-lines.ts";

/** `certctl webhook show` */
export function addWebhookShow(parent: Command): void {
  const command = parent
    .command("show")
    .description("print where messages go and which signing secrets are live; never a secret");
  runs(command, async (client, { store }) => {
    const { webhook } = await client.stores.getWebhook({ storeId: await chooseStore(client, store) });
    webhookLines(webhook).forEach(print);
  });
}
