import type { WebhookTarget } from "#gen/registry/v1/notifier_service_pb.js";
import { buildMessageBody } from "#shared/webhook/message-body.ts";
import { ack } from "../../../services/notifier/consumer/disposition.ts";
import {
  createHandleEvent,
  type HandleEvent,
  type HandleEventDeps,
} from "../../../services/notifier/consumer/handle-event.ts";

/** Returns the webhook target of a store, for handlers that do not take it from the registry. */
export type Targets = (storeId: string) => WebhookTarget | undefined;

type CreateHandleEvent = (deps: HandleEventDeps) => HandleEvent;

/** Acknowledges each event before its message is sent, claims no events and records no outcomes: a common mistake. */
export function acknowledgeFirst(targets: Targets): CreateHandleEvent {
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

/** Claims events, but sends every message that has a target, whatever the response to the claim. */
export function ignoreClaims(targets: Targets): CreateHandleEvent {
  return (deps) =>
    createHandleEvent({
      ...deps,
      claim: async (request) => {
        const answer = await deps.claim(request);
        const target = targets(request.storeId ?? "");
        return target === undefined ? answer : { decision: "send", target, sendWithinMs: 30_000 };
      },
    });
}
