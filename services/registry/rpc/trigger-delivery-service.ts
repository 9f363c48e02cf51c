import type { ServiceImpl } from "@connectrpc/connect";
import type { TriggerDeliveryService } from "#gen/registry/v1/trigger_delivery_service_pb.js";
import { badRequest } from "#shared/errors/service-error.ts";
import { defaultClaimLifeMs } from "../deliveries/claim-state.ts";
import { claimTriggerDeliveries } from "../triggers/claim-trigger-deliveries.ts";
import { type RecordAttemptsDeps, recordTriggerAttempts } from "../triggers/record-trigger-attempts.ts";
import { outcomeOf } from "./outcome-messages.ts";
import { checkCount } from "./request-limits.ts";
import { triggerFormatNames } from "./trigger-service.ts";

const maxBatch = 100;

interface TriggerDeliveryServiceDeps extends RecordAttemptsDeps {
  /** Age at which a lease expires unless its result has been recorded, in milliseconds. Default 60,000. */
  readonly leaseLifeMs?: number | undefined;
}

/** Implements TriggerDeliveryService: translates between its messages and the domain. */
export function triggerDeliveryService(deps: TriggerDeliveryServiceDeps): ServiceImpl<typeof TriggerDeliveryService> {
  const { leaseLifeMs = defaultClaimLifeMs } = deps;
  return {
    async claimTriggerDeliveries({ notifierId, limit }) {
      if (limit < 1 || limit > maxBatch) throw badRequest("limit", `must be 1 to ${maxBatch}`);
      const claimant = { claimedBy: notifierId, countMax: limit, leaseLifeMs };
      const leases = await claimTriggerDeliveries(deps.queue, claimant);
      return {
        leases: leases.map(({ event, token, url, format, signingKeys, sendWithinMs, attempt }) => ({
          ...{ deliveryId: event.id, leaseToken: token, event: event.event, url, sendWithinMs, attempt },
          ...{ triggerId: event.triggerId, format: triggerFormatNames.valueOf(format), signingKeys: [...signingKeys] },
        })),
      };
    },

    async recordTriggerAttempts({ attempts }) {
      checkCount("attempts", attempts.length, maxBatch);
      const results = attempts.map(({ deliveryId, leaseToken, outcome }) => {
        if (outcome === undefined) throw badRequest("attempts.outcome", "is missing");
        return { id: deliveryId, token: leaseToken, outcome: outcomeOf(outcome) };
      });
      await recordTriggerAttempts(deps, results);
      return {};
    },
  };
}
