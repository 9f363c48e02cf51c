import type { Delivery } from "#gen/registry/v1/inspection_service_pb.js";
import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import { type Clock, steadyClock } from "#shared/time/clock.ts";
import type { Output } from "../../output/output.ts";
import type { StoreCalls } from "../../registry-client/operator-client.ts";
import { deliveryFormat } from "./format.ts";

// Longer than the sum of the notifier's default timeouts for one delivery. A backlog of messages for the store can
// delay the delivery further.
const timeLimitMs = 30_000;
const pollIntervalMs = 250;

/**
 * Waits up to 30 s for the outcome of a message and prints it. Without an outcome, prints whether the notifier has
 * claimed the message. Sets exit code 1 unless the message was delivered.
 */
export async function followDelivery(
  store: Pick<StoreCalls, "inspection">,
  deliveryId: string,
  output: Output,
  clock: Clock = steadyClock,
): Promise<void> {
  const deadline = clock.now() + timeLimitMs;
  let delivery: Delivery | undefined;
  do {
    const { deliveries } = await store.inspection.listDeliveries({ eventId: deliveryId });
    [delivery] = deliveries;
    if (delivery?.outcome !== undefined) break;
    await clock.sleep(pollIntervalMs);
  } while (clock.now() < deadline);
  if (delivery?.outcome === undefined) showUnknownOutcome(output, deliveryId, delivery !== undefined);
  else output.list(deliveryFormat)(delivery);
  if (delivery?.outcome?.kind !== OutcomeKind.DELIVERED) process.exitCode = 1;
}

// The notifier claims a message before it sends the first byte, so the receiver may have received a claimed message.
function showUnknownOutcome(output: Output, deliveryId: string, isClaimed: boolean): void {
  const remedy = "To see the outcome, run 'certctl event list' later.";
  const message = isClaimed
    ? `The outcome of ${deliveryId} is not known yet; the receiver may have received the message. ${remedy}`
    : `${deliveryId} is queued and has not been sent yet. ${remedy}`;
  output.result({ eventId: deliveryId, isClaimed, outcome: null, message }, message);
}
