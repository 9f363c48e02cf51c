import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { DeliveryService } from "#gen/registry/v1/delivery_service_pb.js";
import type { ListDeliveriesRequest } from "#gen/registry/v1/inspection_service_pb.js";
import { badRequest } from "#shared/errors/service-error.ts";
import { reasonMessage } from "#shared/rpc/reason-messages.ts";
import type { Clock } from "#shared/time/clock.ts";
import type { CertificateLookup } from "../certificates/certificate-lookup.ts";
import type { CommitQueue } from "../certificates/commit-queue.ts";
import type { Quarantine } from "../deliveries/quarantine.ts";
import { type RedeliverEventDeps, redeliverEvent } from "../deliveries/redeliver-event.ts";
import { previewRedelivery, type RedeliverEventsDeps, redeliverEvents } from "../deliveries/redeliver-events.ts";
import { sendTestMessage } from "../deliveries/send-test-message.ts";
import { callLimitsOf } from "./call-limits-of.ts";
import { storeAndActorOf, storeOf } from "./call-scope.ts";
import { deliverySelection } from "./delivery-selection.ts";
import { type OfferedService, offer } from "./offered-service.ts";
import { pageSize } from "./request-limits.ts";

interface DeliveryServiceDeps extends RedeliverEventDeps, RedeliverEventsDeps {
  readonly queue: CommitQueue;
  readonly lookup: CertificateLookup;
  readonly quarantine: Pick<Quarantine, "newest">;
  readonly databaseClock: Pick<Clock, "now">;
}

/** Implements DeliveryService: translates between its messages and the domain. */
export function deliveryService(deps: DeliveryServiceDeps): OfferedService {
  return offer(DeliveryService, {
    async sendTestMessage(request, context) {
      return {
        deliveryId: await sendTestMessage(deps.queue.within(callLimitsOf(context)), {
          ...request,
          ...storeAndActorOf(context),
        }),
      };
    },

    async redeliverEvent(request, context) {
      const queue = deps.queue.within(callLimitsOf(context));
      return { deliveryId: await redeliverEvent({ ...deps, queue }, { ...request, ...storeAndActorOf(context) }) };
    },

    async previewRedelivery({ deliveries }, context) {
      const query = await deliverySelection(deps.lookup, storeOf(context), selectionOf(deliveries));
      if (query === undefined) return {};
      const now = new Date(deps.databaseClock.now());
      const { counts, first, last, isPartial, until } = await previewRedelivery(deps.log, query, now);
      return {
        counts: counts.map(({ type, count }) => ({ event: type, count })),
        ...(first && { first: timestampFromDate(first) }),
        ...(last && { last: timestampFromDate(last) }),
        isPartial,
        until: timestampFromDate(until),
      };
    },

    async redeliverEvents({ deliveries, idempotencyKey }, context) {
      const request = selectionOf(deliveries);
      const { storeId, actor } = storeAndActorOf(context);
      const countMax = pageSize(request.limit);
      const query = await deliverySelection(deps.lookup, storeId, request);
      if (query === undefined) return {};
      const queue = deps.queue.within(callLimitsOf(context));
      return redeliverEvents({ ...deps, queue }, { storeId, actor, query, idempotencyKey }, countMax);
    },

    async listQuarantinedMessages({ limit }) {
      const messages = await deps.quarantine.newest(pageSize(limit));
      return {
        messages: messages.map(({ quarantinedAt, problem, ...message }) => ({
          ...message,
          problem: reasonMessage(problem),
          quarantinedAt: timestampFromDate(quarantinedAt),
        })),
      };
    },
  });
}

function selectionOf(deliveries: ListDeliveriesRequest | undefined): ListDeliveriesRequest {
  if (deliveries === undefined) throw badRequest("deliveries", "is missing: select the deliveries");
  return deliveries;
}
