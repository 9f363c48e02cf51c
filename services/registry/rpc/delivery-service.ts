import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import type { DeliveryService } from "#gen/registry/v1/delivery_service_pb.js";
import type { CommitQueue } from "../certificates/commit-queue.ts";
import type { Quarantine } from "../deliveries/quarantine.ts";
import { type RedeliverEventDeps, redeliverEvent } from "../deliveries/redeliver-event.ts";
import { sendTestMessage } from "../deliveries/send-test-message.ts";
import { callLimitsOf } from "./call-limits-of.ts";
import { storeAndActorOf } from "./call-scope.ts";
import { pageSize } from "./request-limits.ts";

interface DeliveryServiceDeps extends RedeliverEventDeps {
  readonly queue: CommitQueue;
  readonly quarantine: Pick<Quarantine, "newest">;
}

/** Implements DeliveryService: translates between its messages and the domain. */
export function deliveryService(deps: DeliveryServiceDeps): ServiceImpl<typeof DeliveryService> {
  return {
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

    async listQuarantinedMessages({ limit }) {
      const messages = await deps.quarantine.newest(pageSize(limit));
      return {
        messages: messages.map(({ quarantinedAt, ...message }) => ({
          ...message,
          quarantinedAt: timestampFromDate(quarantinedAt),
        })),
      };
    },
  };
}
