import type { WebhookTarget } from "#gen/registry/v1/notifier_service_pb.js";
import { ack } from "../../../services/notifier/consumer/disposition.ts";
import {
  createHandleEvent,
  type HandleEvent,
  type HandleEventDeps,
} from "../../../services/notifier/consumer/handle-event.ts";
import { buildMessageBody } from "../../../services/notifier/webhook/message-body.ts";

/** Where stores' messages go, by the stores' ids; who does not ask the registry must know it from elsewhere. */
export type Targets = (storeId: string) => WebhookTarget | undefined;

/** Makes the function that handles events. */
export type CreateHandleEvent = (deps: HandleEventDeps) => HandleEvent;

/** As many senders do it: the message is acknowledged at once, sent in the background, and nothing is claimed or recorded. */
export function acknowledgingFirst(targets: Targets): CreateHandleEvent {
  return ({ deliver, logger }) =>
    async (event, signal) => {
      const target = targets(event.storeId);
      const body = target && buildMessageBody(event, target.format);
      if (target === undefined || body === undefined) return ack;
      const { url, secret } = target;
      deliver({ eventId: event.id, url, body, secret }, signal).catch((error: unknown) =>
        logger.error({ err: error }, "a message was not sent"),
      );
      return ack;
    };
}

/** Claims, but sends whatever the answer: as if a message that comes again could not have been sent before. */
export function ignoringClaims(targets: Targets): CreateHandleEvent {
  return (deps) =>
    createHandleEvent({
      ...deps,
      claim: async (request) => {
        const answer = await deps.claim(request);
        const target = targets(request.storeId ?? "");
        return target === undefined ? answer : { decision: "send", target };
      },
    });
}
