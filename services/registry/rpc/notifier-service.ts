import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import { ClaimDecision, type NotifierService } from "#gen/registry/v1/notifier_service_pb.js";
import { badRequest } from "#shared/errors/service-error.ts";
import { claimDeliveries } from "../deliveries/claim-deliveries.ts";
import type { DeliveryRecords } from "../deliveries/delivery.ts";
import { type Quarantine, quarantineMessage } from "../deliveries/quarantine.ts";
import type { Webhook } from "../stores/store.ts";
import { checkCount } from "./check-count.ts";
import { enumNames } from "./enum-names.ts";
import { outcomeOf } from "./outcome-messages.ts";
import { secretRoleNames, webhookFormatNames } from "./store-enums.ts";

const batchMax = 500;
const dataBytesMax = 65_536;

const decisionNames = enumNames({
  send: ClaimDecision.SEND,
  skipped: ClaimDecision.SKIPPED,
  settled: ClaimDecision.SETTLED,
  in_flight: ClaimDecision.IN_FLIGHT,
  later: ClaimDecision.LATER,
});

/** NotifierService over the domain. */
export function notifierService(deps: {
  readonly records: DeliveryRecords;
  readonly quarantine: Quarantine;
  /** How old a claim without an outcome is when its sender counts as dead. Default: as the domain says. */
  readonly claimLifeMs?: number | undefined;
}): ServiceImpl<typeof NotifierService> {
  return {
    async claimDeliveries({ claims, notifierId }) {
      checkCount("claims", claims.length, batchMax);
      const requests = claims.map(({ queuedAt, ...claim }) => ({
        ...claim,
        queuedAt: queuedAt === undefined ? undefined : timestampDate(queuedAt),
      }));
      const answers = await claimDeliveries(deps.records, requests, notifierId, deps.claimLifeMs);
      const results = claims.map(({ eventId }, index) => {
        const answer = answers[index];
        if (answer === undefined) throw new Error(`no answer for event ${eventId}`);
        const decision = decisionNames.valueOf(answer.decision);
        return answer.decision === "send"
          ? { eventId, decision, target: targetOf(answer.target) }
          : { eventId, decision };
      });
      return { results };
    },

    async recordOutcomes({ outcomes }) {
      checkCount("outcomes", outcomes.length, batchMax);
      await deps.records.settle(outcomes.map(outcomeOf));
      return {};
    },

    async quarantineMessage(message) {
      if (message.data.length > dataBytesMax) throw badRequest("data", `is over ${dataBytesMax} bytes`);
      await quarantineMessage(deps.quarantine, deps.records, message, deps.claimLifeMs);
      return {};
    },
  };
}

function targetOf({ url, format, secret, otherSecret }: Webhook) {
  const bytesOf = (text: string) => new TextEncoder().encode(text);
  return {
    url,
    format: webhookFormatNames.valueOf(format),
    secret: bytesOf(secret ?? ""),
    ...(otherSecret && {
      otherSecret: {
        secret: bytesOf(otherSecret.secret),
        role: secretRoleNames.valueOf(otherSecret.role),
      },
    }),
  };
}
