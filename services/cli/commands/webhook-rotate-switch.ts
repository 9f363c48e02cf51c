import type { Command } from "commander";
import { RotationStep } from "#gen/registry/v1/store_admin_service_pb.js";
import { chooseStore } from "../registry-client/choose-store.ts";
import { print, runs } from "./command.ts";
import { webhookLines } from "./webhook-lines.ts";

/** `certctl webhook rotate switch` */
export function addWebhookRotateSwitch(parent: Command): void {
  const command = parent
    .command("switch")
    .description(
      "make the next signing secret the active one; the former still signs; without --yes it only says so",
    )
    .option("--yes", "really do it", false);
  runs<{ yes: boolean }>(command, async (client, { store, yes }) => {
    const storeId = await chooseStore(client, store);
    if (!yes)
      return print(
        "would sign X-Service-Signature with the next secret: every receiver has to know it by now; add --yes to do it",
      );
    const { webhook } = await client.stores.rotateWebhookSecret({ storeId, step: RotationStep.SWITCH });
    webhookLines(webhook).forEach(print);
  });
}
