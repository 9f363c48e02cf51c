import type { MessageInitShape } from "@bufbuild/protobuf";
import { createClient, type Transport } from "@connectrpc/connect";
import {
  type TriggerAttemptSchema,
  TriggerDeliveryService,
  type TriggerLease,
} from "#gen/registry/v1/trigger_delivery_service_pb.js";

/** The result of an attempt to send an event to a trigger. */
export type TriggerAttemptReport = MessageInitShape<typeof TriggerAttemptSchema>;

/** The registry's operations for workflow triggers. Methods throw Error if the call fails. */
export interface TriggerDeliveries {
  /** Leases at most `countMax` events that are due. */
  claim(countMax: number): Promise<TriggerLease[]>;
  /** Records the result of an attempt. Idempotent. */
  record(report: TriggerAttemptReport): Promise<void>;
}

/**
 * Creates a client of TriggerDeliveryService.
 *
 * @param notifierId identifies this process; stored with each lease
 */
export function triggerDeliveries(transport: Transport, notifierId: string): TriggerDeliveries {
  const client = createClient(TriggerDeliveryService, transport);
  return {
    claim: async (countMax) => (await client.claimTriggerDeliveries({ notifierId, limit: countMax })).leases,
    record: async (report) => {
      await client.recordTriggerAttempts({ attempts: [report] });
    },
  };
}
