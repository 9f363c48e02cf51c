import type { Delivery } from "#gen/registry/v1/inspection_service_pb.js";
import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import { toServiceError } from "#shared/rpc/error-conversion.ts";
import { type Clock, steadyClock } from "#shared/time/clock.ts";
import type { Output } from "../../output/output.ts";
import type { StoreCalls } from "../../registry-client/operator-client.ts";
import { noteRetry, retryWhileUnavailable } from "../../registry-client/retry-while-unavailable.ts";
import { deliveryFormat } from "./format.ts";

// Longer than the sum of the notifier's default timeouts for one delivery. A backlog of messages for the store can
// delay the delivery further.
const timeLimitMs = 30_000;
const pollIntervalMs = 250;

/**
 * Waits up to 30 s for the outcome of a queued message and prints it. Without an outcome, prints whether the notifier
 * has claimed the message, if this can be read. Sets exit code 1 unless the message was delivered. Never throws the
 * error of a read: its exit code would invite scripts to repeat the command, which would send the message again.
 */
export async function followDelivery(
  store: Pick<StoreCalls, "inspection">,
  deliveryId: string,
  output: Output,
  clock: Clock = steadyClock,
): Promise<void> {
  const deadline = clock.now() + timeLimitMs;
  let delivery: Delivery | undefined;
  // Without a delivery. Null: not known.
  let isClaimed: boolean | null = false;
  const read = () => store.inspection.listDeliveries({ eventId: deliveryId });
  const onWait = noteRetry(output.note);
  try {
    do {
      [delivery] = (await retryWhileUnavailable(read, deadline - clock.now(), onWait, clock)).deliveries;
      if (delivery?.outcome !== undefined) break;
      await clock.sleep(pollIntervalMs);
    } while (clock.now() < deadline);
  } catch (error) {
    isClaimed = null;
    output.note(`The outcome of ${deliveryId} cannot be read: ${toServiceError(error).message}`);
  }
  if (delivery?.outcome === undefined) showUnknownOutcome(output, deliveryId, delivery !== undefined || isClaimed);
  else output.list(deliveryFormat)(delivery);
  if (delivery?.outcome?.kind !== OutcomeKind.DELIVERED) process.exitCode = 1;
}

/** @param isClaimed null: not known */
function showUnknownOutcome(output: Output, deliveryId: string, isClaimed: boolean | null): void {
  const message = `${stateText(deliveryId, isClaimed)} To see the outcome, run 'certctl event list' later.`;
  output.result({ eventId: deliveryId, isClaimed, outcome: null, message }, message);
}

// The notifier claims a message before it sends the first byte, so the receiver may have received a claimed message.
function stateText(deliveryId: string, isClaimed: boolean | null): string {
  if (isClaimed === null)
    return (
      `${deliveryId} is queued; whether it has been sent is not known. Without --idempotency-key, repeating the ` +
      "command would send the message again."
    );
  return isClaimed
    ? `The outcome of ${deliveryId} is not known yet; the receiver may have received the message.`
    : `${deliveryId} is queued and has not been sent yet.`;
}
