import type { Command } from "commander";
import { RotationStep } from "#gen/registry/v1/store_admin_service_pb.js";
import { chooseStore } from "../registry-client/choose-store.ts";
import { print, printError, runs } from "./command.ts";

/** `certctl webhook rotate begin` */
export function addWebhookRotateBegin(parent: Command): void {
  const command = parent
    .command("begin")
    .description("make the next signing secret, shown once; from now on messages are signed with it as well");
  runs(command, async (client, { store }) => {
    const storeId = await chooseStore(client, store);
    const { secret } = await client.stores.rotateWebhookSecret({ storeId, step: RotationStep.BEGIN });
    printError("give it to the receivers beside the present one, then: certctl webhook rotate switch");
    printError("the next signing secret is shown only now:");
    print(secret);
  });
}
