import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  TriggerDeliveryState,
  TriggerDisabledCause,
  TriggerFormat,
  type TriggerSchema,
  TriggerService,
} from "#gen/registry/v1/trigger_service_pb.js";
import { reasonMessage } from "#shared/rpc/reason-messages.ts";
import type { Clock } from "#shared/time/clock.ts";
import type { CertificateLookup } from "../certificates/certificate-lookup.ts";
import { type CreateTriggerDeps, createTrigger, rotateTriggerSecret } from "../triggers/change-triggers.ts";
import { type TestTriggerDeps, testTrigger } from "../triggers/test-trigger.ts";
import type { Trigger, Triggers } from "../triggers/trigger.ts";
import type { LoggedTriggerDelivery } from "../triggers/trigger-queue.ts";
import { type LogPlace, pageOf, placeAfter, tokenOf } from "../values/page-token.ts";
import { storeAndActorOf, storeOf } from "./call-scope.ts";
import { withLabels } from "./certificate-labels.ts";
import { enumNames } from "./enum-names.ts";
import { triggerFormatNames } from "./enum-tables.ts";
import { type OfferedService, offer } from "./offered-service.ts";
import { recordedOutcomeMessage } from "./outcome-messages.ts";
import { knownEvent, pageSize } from "./request-limits.ts";

const causeNames = enumNames(TriggerDisabledCause);

const stateNames = enumNames(TriggerDeliveryState);

interface TriggerServiceDeps extends CreateTriggerDeps, TestTriggerDeps {
  readonly lookup: Pick<CertificateLookup, "labelsOf">;
  readonly triggers: Triggers;
  /** Follows the database's clock, because other replicas compare when replaced secrets expire. */
  readonly clock: Clock;
}

/** Implements TriggerService: translates between its messages and the domain. */
export function triggerService(deps: TriggerServiceDeps): OfferedService {
  const { triggers, queue, clock } = deps;
  return offer(TriggerService, {
    async createTrigger({ url, format, events }, context) {
      const { trigger, secret } = await createTrigger(deps, {
        ...storeAndActorOf(context),
        url,
        format: triggerFormatNames.nameOf(format || TriggerFormat.CLOUDEVENTS, "format"),
        events: events.map((event) => knownEvent("events", event)),
      });
      return { trigger: triggerMessage(trigger), secret };
    },

    async listTriggers(_request, context) {
      return { triggers: (await triggers.list(storeOf(context))).map(triggerMessage) };
    },

    async deleteTrigger({ triggerId }, context) {
      const { storeId, actor } = storeAndActorOf(context);
      const details = { trigger: triggerId };
      await triggers.delete(storeId, triggerId, { action: "trigger.deleted", actor, details });
      return {};
    },

    async enableTrigger({ triggerId }, context) {
      const { storeId, actor, session } = storeAndActorOf(context);
      const change = { action: "trigger.enabled" as const, actor, session, details: { trigger: triggerId } };
      return { trigger: triggerMessage(await triggers.enable(storeId, triggerId, change)) };
    },

    async disableTrigger({ triggerId }, context) {
      const { storeId, actor } = storeAndActorOf(context);
      const details = { trigger: triggerId, cause: "requested" };
      const change = { action: "trigger.disabled" as const, actor, details };
      const disabled = { at: new Date(clock.now()), cause: "requested" as const, reason: null };
      await triggers.disable(storeId, triggerId, disabled, change);
      return { trigger: triggerMessage(await triggers.find(storeId, triggerId)) };
    },

    async rotateTriggerSecret({ triggerId }, context) {
      const rotated = await rotateTriggerSecret(deps, { triggerId, ...storeAndActorOf(context) });
      return { secret: rotated.secret, trigger: triggerMessage(rotated.trigger) };
    },

    async testTrigger({ triggerId }, context) {
      return { eventId: await testTrigger(deps, storeOf(context), triggerId) };
    },

    async listTriggerDeliveries({ triggerId, state, limit, pageToken: token }, context) {
      const storeId = storeOf(context);
      const query = {
        storeId,
        triggerId: triggerId || undefined,
        after: placeAfter(token),
        state: stateNames.nameIfSet(state, "state"),
      };
      const countMax = pageSize(limit);
      const { entries, next } = pageOf(await queue.readLog(query, countMax + 1), countMax, placeOf);
      return {
        deliveries: await withLabels(deps.lookup, storeId, entries.map(deliveryMessage)),
        nextPageToken: tokenOf(next),
      };
    },
  });
}

function placeOf({ occurredAt, triggerId, eventId }: LoggedTriggerDelivery): LogPlace {
  return { at: occurredAt, id: `${triggerId}/${eventId}` };
}

function triggerMessage(trigger: Trigger): MessageInitShape<typeof TriggerSchema> {
  const { id, url, format, events, createdAt, disabled, waitingCount, secretCreatedAt } = trigger;
  const { failingSince, lastDeliveredAt, previousSecretUntil } = trigger;
  return {
    triggerId: id,
    url,
    format: triggerFormatNames.valueOf(format),
    events: [...events],
    waitingCount,
    enabled: disabled === null,
    ...(disabled && {
      disabledReason: reasonMessage(disabled.reason),
      disabledAt: timestampFromDate(disabled.at),
      disabledCause: causeNames.valueOf(disabled.cause),
    }),
    ...(failingSince && { failingSince: timestampFromDate(failingSince) }),
    ...(lastDeliveredAt && { lastDeliveredAt: timestampFromDate(lastDeliveredAt) }),
    ...(previousSecretUntil && { previousSecretUntil: timestampFromDate(previousSecretUntil) }),
    createdAt: timestampFromDate(createdAt),
    secretCreatedAt: timestampFromDate(secretCreatedAt),
  };
}

function deliveryMessage({ occurredAt, nextAttemptAt, lastAttempt, state, ...delivery }: LoggedTriggerDelivery) {
  return {
    ...delivery,
    occurredAt: timestampFromDate(occurredAt),
    state: state === undefined ? TriggerDeliveryState.UNSPECIFIED : stateNames.valueOf(state),
    ...(nextAttemptAt && { nextAttemptAt: timestampFromDate(nextAttemptAt) }),
    ...(lastAttempt && {
      lastAttempt: recordedOutcomeMessage(delivery.eventId, lastAttempt),
      lastAttemptAt: timestampFromDate(lastAttempt.settledAt),
    }),
  };
}
