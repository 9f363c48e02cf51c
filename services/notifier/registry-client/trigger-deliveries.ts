import type { MessageInitShape } from "@bufbuild/protobuf";
import { createClient, type Transport } from "@connectrpc/connect";
import type { DeliveryOutcomeSchema } from "#gen/registry/v1/notifier_service_pb.js";
import {
  type TriggerAttempt,
  TriggerDeliveryService,
  type TriggerLease,
} from "#gen/registry/v1/trigger_delivery_service_pb.js";
import { Batcher } from "#shared/batching/batcher.ts";
import type { Clock } from "#shared/time/clock.ts";
import type { ObserveClockSkew } from "./observe-clock-skew.ts";
import { outcomeBatches, withKindName } from "./outcome-batches.ts";

/** The result of an attempt to send an event to a trigger. */
interface TriggerAttemptReport extends Pick<TriggerAttempt, "deliveryId" | "leaseToken"> {
  readonly outcome: MessageInitShape<typeof DeliveryOutcomeSchema>;
}

/** The registry's operations for workflow triggers. Methods throw Error if the call fails. */
export type TriggerDeliveries = ReturnType<typeof triggerDeliveries>;

/**
 * Creates a client of TriggerDeliveryService. Concurrent reports of results share one call.
 *
 * @param notifierId identifies this process; stored with each lease
 * @param clock a monotonic clock
 * @param observeSkew called with each claim: also an idle notifier claims about once a second
 */
export function triggerDeliveries(
  transport: Transport,
  notifierId: string,
  clock: Clock,
  observeSkew: ObserveClockSkew,
) {
  const client = createClient(TriggerDeliveryService, transport);
  const record = async (attempts: readonly TriggerAttemptReport[]) => {
    const named = attempts.map(({ outcome, ...attempt }) => ({ ...attempt, outcome: withKindName(outcome) }));
    await client.recordTriggerAttempts({ attempts: named });
    return attempts.map(() => undefined);
  };
  const results = new Batcher(record, { batchMax: 100, ...outcomeBatches(clock) });
  return {
    /** Leases at most `countMax` events that are due. */
    claim: async (countMax: number): Promise<TriggerLease[]> =>
      (await observeSkew(() => client.claimTriggerDeliveries({ notifierId, limit: countMax }))).leases,
    /** Records the result of an attempt. Idempotent. */
    record: (report: TriggerAttemptReport): Promise<void> => results.add(report),
  };
}
