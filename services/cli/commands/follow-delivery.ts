import type { Delivery } from "#gen/registry/v1/inspection_service_pb.js";
import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import { type Clock, systemClock } from "#shared/time/clock.ts";
import type { RegistryClient } from "../registry-client/registry-client.ts";
import { print } from "./print.ts";
import { printDelivery } from "./print-delivery.ts";

// Exceeds the time limit of a receiver. The message of a store with a backlog can take longer.
const timeLimitMs = 30_000;
const pollIntervalMs = 250;

/**
 * Waits for the outcome of a message and prints it, or prints what is known after 30 s. Sets exit code 1 unless the message
 * was delivered.
 */
export async function followDelivery(
  client: Pick<RegistryClient, "inspection">,
  storeId: string,
  deliveryId: string,
  clock: Clock = systemClock,
): Promise<void> {
  const deadline = clock.now() + timeLimitMs;
  let delivery: Delivery | undefined;
  do {
    const { deliveries } = await client.inspection.listDeliveries({ storeId, eventId: deliveryId });
    [delivery] = deliveries;
    if (delivery?.outcome !== undefined) break;
    await clock.sleep(pollIntervalMs);
  } while (clock.now() < deadline);
  if (delivery?.outcome === undefined) print(unknownOutcome(deliveryId, delivery !== undefined));
  else printDelivery(delivery);
  if (delivery?.outcome?.kind !== OutcomeKind.DELIVERED) process.exitCode = 1;
}

// The notifier claims a message before it sends the first byte.
function unknownOutcome(deliveryId: string, isClaimed: boolean): string {
  return isClaimed
    ? `The outcome of ${deliveryId} is not known yet; the receiver may have received it. Run certctl delivery list.`
    : `${deliveryId} is queued and not sent yet. Run certctl delivery list later.`;
}
