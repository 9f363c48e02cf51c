import type { Command } from "commander";
import { chooseStore } from "../registry-client/choose-store.ts";
import { runs } from "./command.ts";
import { followDelivery } from "./follow-delivery.ts";
import { type RequestIdOption, withRequestId } from "./idempotency-key.ts";

/** `certctl delivery again <event id>` */
export function addDeliveryAgain(parent: Command): void {
  const command = parent
    .command("again")
    .description(
      "send an event again, once, under a delivery id of its own and with the certificate as it is now, and print what became of it; ends with 1 unless it was delivered",
    )
    .argument("<event id>", "evt_…, as certctl delivery list and certctl certificate history show it");
  runs<RequestIdOption>(withRequestId(command), async (client, { store, idempotencyKey }, [eventId = ""]) => {
    const storeId = await chooseStore(client, store);
    const { deliveryId } = await client.deliveries.redeliverEvent({ storeId, eventId, idempotencyKey });
    await followDelivery(client, storeId, deliveryId);
  });
}
