import { systemClock } from "#shared/time/clock.ts";
import type { RegistryClient } from "../registry-client/registry-client.ts";
import { print } from "./command.ts";
import { printDelivery } from "./print-delivery.ts";

// Longer than the slowest receiver may take; a store with a backlog takes longer still.
const timeLimitMs = 30_000;
const lookIntervalMs = 250;

/** Waits until a message has come to its end, and prints it; says where to look when that takes too long. */
export async function followDelivery(
  client: RegistryClient,
  storeId: string,
  deliveryId: string,
): Promise<void> {
  const deadline = systemClock.now() + timeLimitMs;
  do {
    const { deliveries } = await client.inspection.listDeliveries({ storeId, eventId: deliveryId });
    const [delivery] = deliveries;
    if (delivery?.outcome !== undefined) return printDelivery(delivery);
    await systemClock.sleep(lookIntervalMs);
  } while (systemClock.now() < deadline);
  print(`${deliveryId} is not sent yet; see certctl delivery list`);
}
