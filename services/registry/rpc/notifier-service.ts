import { timestampDate } from "@bufbuild/protobuf/wkt";
import { ClaimDecision, NotifierService } from "#gen/registry/v1/notifier_service_pb.js";
import { badRequest } from "#shared/errors/service-error.ts";
import { receivedReason } from "#shared/rpc/reason-messages.ts";
import { type Claimant, claimDeliveries } from "../deliveries/claim-deliveries.ts";
import type { DeliveryRecords } from "../deliveries/delivery.ts";
import { type Quarantine, quarantinedBytesMax, quarantineMessage } from "../deliveries/quarantine.ts";
import { remainingMs } from "../load/call-limits.ts";
import type { Webhook } from "../stores/webhooks.ts";
import { callLimitsOf } from "./call-limits-of.ts";
import { enumNames } from "./enum-names.ts";
import { secretRoleNames, webhookFormatNames } from "./enum-tables.ts";
import { type OfferedService, offer } from "./offered-service.ts";
import { outcomeOf } from "./outcome-messages.ts";
import { checkCount } from "./request-limits.ts";

const maxBatch = 500;
const maxTokenLength = 64;

const decisionNames = enumNames(ClaimDecision);

interface NotifierServiceDeps extends Pick<Claimant, "restores" | "deliveryLogDays"> {
  readonly records: DeliveryRecords;
  readonly quarantine: Quarantine;
}

/** Implements NotifierService: translates between its messages and the domain. */
export function notifierService(deps: NotifierServiceDeps): OfferedService {
  return offer(NotifierService, {
    async claimDeliveries({ claims, notifierId }, context) {
      checkCount("claims", claims.length, maxBatch);
      if (claims.some(({ attemptToken }) => attemptToken.length > maxTokenLength))
        throw badRequest("claims.attempt_token", `must have at most ${maxTokenLength} characters`);
      const limits = callLimitsOf(context);
      const requests = claims.map(({ queuedAt, ...claim }) => ({
        ...claim,
        queuedAt: queuedAt === undefined ? undefined : timestampDate(queuedAt),
      }));
      const answers = await claimDeliveries(deps.records, requests, {
        claimedBy: notifierId,
        timeLimitMs: () => remainingMs(limits),
        restores: deps.restores,
        deliveryLogDays: deps.deliveryLogDays,
      });
      const results = claims.map(({ eventId }, index) => {
        const answer = answers[index];
        if (answer === undefined) throw new Error(`no answer for event ${eventId}`);
        const decision = decisionNames.valueOf(answer.decision);
        return answer.decision === "send"
          ? { eventId, decision, target: targetOf(answer.target), sendWithinMs: answer.sendWithinMs }
          : { eventId, decision };
      });
      return { results };
    },

    async recordOutcomes({ outcomes }) {
      checkCount("outcomes", outcomes.length, maxBatch);
      await deps.records.settle(outcomes.map(outcomeOf));
      return {};
    },

    async quarantineMessage(message) {
      if (message.data.length > quarantinedBytesMax)
        throw badRequest("data", `must be at most ${quarantinedBytesMax} bytes`);
      const problem = receivedReason(message.problem);
      if (problem === undefined) throw badRequest("problem", "is missing");
      await quarantineMessage(deps.quarantine, deps.records, { ...message, problem });
      return {};
    },
  });
}

function targetOf({ url, format, secrets }: Webhook) {
  const bytesOf = (text: string) => new TextEncoder().encode(text);
  const [other] = secrets?.others ?? [];
  return {
    url,
    format: webhookFormatNames.valueOf(format),
    secret: bytesOf(secrets?.active ?? ""),
    ...(other && { otherSecret: { secret: bytesOf(other.secret), role: secretRoleNames.valueOf(other.role) } }),
  };
}
