import { z } from "zod";
import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import { reason } from "#shared/reasons/reason.ts";
import { classifyStatus } from "../../services/notifier/webhook/classify-status.ts";
import type { Deliver } from "../../services/notifier/webhook/deliver.ts";
import { defaultClaimLifeMs, sendWithinMs } from "../../services/registry/deliveries/claim-state.ts";
import type { FeedWorld, SentMessage } from "./feed-world.ts";

const replyMaxMs = 300;
const noAttempt = { httpStatus: 0, durationMs: 0, phases: {}, remoteAddress: "", replyExcerpt: "" };

const bodySchema = z.object({ occurredAt: z.coerce.date(), certificate: z.object({ id: z.string() }) });

/** Creates what sends the messages of notifiers: to a receiver that takes them all, without sockets. */
export function receiveIn(history: FeedWorld): Deliver {
  const { world } = history;
  return async ({ eventId, body, mayBegin }) => {
    const { process } = world;
    if (process !== undefined) history.onSending?.(process);
    await world.delay(world.below(replyMaxMs), process);
    if (mayBegin?.() === false) return { kind: OutcomeKind.INTERRUPTED, reason: reason("sender_paused"), ...noAttempt };
    const { occurredAt, certificate } = bodySchema.parse(JSON.parse(body.toString()));
    const message = { eventId, at: occurredAt, status: 200 };
    receive(history, certificate.id, message);
    await world.delay(world.below(replyMaxMs), process);
    return { ...noAttempt, ...classifyStatus(message.status), httpStatus: message.status, durationMs: 5 };
  };
}

function receive(history: FeedWorld, certificateId: string, message: SentMessage): void {
  const { world, wrong, sent, sentBefore, keptByStream, pendingAtRestore, problems } = history;
  const { eventId, at } = message;
  const earlier = sent.get(certificateId) ?? [];
  if (sentBefore.has(eventId) || earlier.some((one) => one.eventId === eventId))
    problems.push(`${eventId} is sent twice`);
  // A kept event that the restored outbox lacks holds up no other, so it may also be late.
  const mayBeLate = keptByStream.has(eventId) && !pendingAtRestore.has(eventId);
  // A clock that is set forward ends the claim of an attempt that may still begin, beside that of the next event.
  const mayBeOvertaken = wrong.setForwardAtMs.some((atMs) => world.now() - atMs < sendWithinMs(defaultClaimLifeMs));
  const last = earlier.findLast((one) => !keptByStream.has(one.eventId));
  if (!mayBeLate && !mayBeOvertaken && last !== undefined && last.at > at)
    problems.push(`${eventId} is sent after ${last.eventId}, which is later`);
  sent.set(certificateId, [...earlier, message]);
}
