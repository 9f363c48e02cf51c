import type { Command } from "commander";
import { chooseStore } from "../registry-client/choose-store.ts";
import { runs } from "./command.ts";
import { followDelivery } from "./follow-delivery.ts";
import { type RequestIdOption, withRequestId } from "./idempotency-key.ts";

/** `certctl webhook test` */
export function addWebhookTest(parent: Command): void {
  const command = parent
    .command("test")
    .description(
      "send a message about a sample certificate, once, and print what became of it; ends with 1 unless it was delivered",
    );
  runs<RequestIdOption>(withRequestId(command), async (client, { store, idempotencyKey }) => {
    const storeId = await chooseStore(client, store);
    const { deliveryId } = await client.deliveries.sendTestMessage({ storeId, idempotencyKey });
    await followDelivery(client, storeId, deliveryId);
  });
}
