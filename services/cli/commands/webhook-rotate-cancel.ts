import type { Command } from "commander";
import { RotationStep } from "#gen/registry/v1/store_admin_service_pb.js";
import { chooseStore } from "../registry-client/choose-store.ts";
import { print, runs } from "./command.ts";
import { webhookLines } from "./webhook-lines.ts";

/** `certctl webhook rotate cancel` */
export function addWebhookRotateCancel(parent: Command): void {
  const command = parent
    .command("cancel")
    .description("drop the next signing secret instead of switching to it; without --yes it only says so")
    .option("--yes", "really do it", false);
  runs<{ yes: boolean }>(command, async (client, { store, yes }) => {
    const storeId = await chooseStore(client, store);
    if (!yes)
      return print(
        "would drop the next secret: receivers that know only that one refuse messages from then on; add --yes to do it",
      );
    const { webhook } = await client.stores.rotateWebhookSecret({ storeId, step: RotationStep.CANCEL });
    webhookLines(webhook).forEach(print);
  });
}
