import type { Delivery } from "#gen/registry/v1/inspection_service_pb.js";
import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import { type Clock, systemClock } from "#shared/time/clock.ts";
import type { RegistryClient } from "../registry-client/registry-client.ts";
import { print } from "./command.ts";
import { printDelivery } from "./print-delivery.ts";

// Longer than the slowest receiver may take; a store with a backlog takes longer still.
const timeLimitMs = 30_000;
const lookIntervalMs = 250;

/**
 * Waits until a message has come to its end, and prints it; says what is known when that takes too long. Unless it was
 * delivered, the program ends with 1.
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
    await clock.sleep(lookIntervalMs);
  } while (clock.now() < deadline);
  if (delivery?.outcome === undefined) print(unknownOutcome(deliveryId, delivery !== undefined));
  else printDelivery(delivery);
  if (delivery?.outcome?.kind !== OutcomeKind.DELIVERED) process.exitCode = 1;
}

// A message is claimed before a byte of it is sent.
function unknownOutcome(deliveryId: string, isClaimed: boolean): string {
  return isClaimed
    ? `The outcome of ${deliveryId} is not known yet; the receiver may have got it. See certctl delivery list.`
    : `${deliveryId} is not sent yet: it waits for its turn. See certctl delivery list later.`;
}
