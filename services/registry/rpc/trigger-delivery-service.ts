import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { TriggerDeliveryService } from "#gen/registry/v1/trigger_delivery_service_pb.js";
import { badRequest } from "#shared/errors/service-error.ts";
import type { Clock } from "#shared/time/clock.ts";
import { remainingMs } from "../load/call-limits.ts";
import { claimTriggerDeliveries, type TriggerClaimant } from "../triggers/claim-trigger-deliveries.ts";
import { type RecordAttemptsDeps, recordTriggerAttempts } from "../triggers/record-trigger-attempts.ts";
import { callLimitsOf } from "./call-limits-of.ts";
import { triggerFormatNames } from "./enum-tables.ts";
import { type OfferedService, offer } from "./offered-service.ts";
import { outcomeOf } from "./outcome-messages.ts";
import { checkCount } from "./request-limits.ts";

const maxBatch = 100;
// Claiming ends this long before the caller's deadline, so that the last write and the response arrive in time.
const responseMs = 1_000;

interface TriggerDeliveryServiceDeps extends RecordAttemptsDeps, Pick<TriggerClaimant, "onCutShort" | "leaseLifeMs"> {
  readonly databaseClock: Pick<Clock, "now">;
}

/** Implements TriggerDeliveryService: translates between its messages and the domain. */
export function triggerDeliveryService(deps: TriggerDeliveryServiceDeps): OfferedService {
  const { leaseLifeMs, onCutShort } = deps;
  return offer(TriggerDeliveryService, {
    async claimTriggerDeliveries({ notifierId, limit }, context) {
      if (limit < 1 || limit > maxBatch) throw badRequest("limit", `must be 1 to ${maxBatch}`);
      const { deadline, signal } = callLimitsOf(context);
      const limits = { deadline: deadline - responseMs, signal };
      const leases = await claimTriggerDeliveries(deps.queue, {
        claimedBy: notifierId,
        countMax: limit,
        leaseLifeMs,
        onCutShort,
        timeLimitMs: () => remainingMs(limits),
      });
      return {
        databaseTime: timestampFromMs(deps.databaseClock.now()),
        leases: leases.map(({ event, token, url, format, signingKeys, sendWithinMs, attempt }) => ({
          deliveryId: event.id,
          leaseToken: token,
          event: event.event,
          url,
          sendWithinMs,
          attempt,
          triggerId: event.triggerId,
          format: triggerFormatNames.valueOf(format),
          signingKeys: [...signingKeys],
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
  });
}
