import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import type { Webhook } from "../stores/store.ts";
import type { DeliveryOutcome, DeliveryRecords, DeliveryRequest, StoredClaim } from "./delivery.ts";
import { logLifeMs } from "./delivery-log.ts";
import { unsent } from "./unsent.ts";

/** What to do with an event. */
export type ClaimAnswer =
  | { readonly decision: "send"; readonly target: Webhook }
  | { readonly decision: "skipped" | "settled" | "in_flight" | "later" };

/**
 * How old a claim without an outcome is when its sender counts as dead: far longer than any attempt (connecting, 8 s for the
 * reply, and storing the outcome).
 */
export const defaultClaimLifeMs = 60_000;

// The record of a claim is what stops a second POST, and it is kept no longer than the log. So an event is not sent any
// more when a record of an earlier claim may be gone; the day between allows for clocks that differ.
const eventLifeMs = logLifeMs - 86_400_000;

const v1Events: readonly EventType[] = [
  EventType.ISSUED,
  EventType.VERIFIED,
  EventType.TRANSFERRED,
  EventType.REPORTED,
];

/**
 * Claims events for sending. An event is to be sent by the call that stored its claim and by no other, ever: a claim
 * whose sender died is settled as interrupted (interface specification §6, rule 2).
 *
 * @param claimLifeMs how old a claim without an outcome is when its sender counts as dead; default 60,000
 */
export async function claimDeliveries(
  records: DeliveryRecords,
  requests: readonly DeliveryRequest[],
  claimedBy: string,
  now: () => Date,
  claimLifeMs = defaultClaimLifeMs,
): Promise<ClaimAnswer[]> {
  // Read before claiming: a claim is final, and what cannot be signed now is to be sent when it can.
  const webhooks = await records.webhooksOf([...new Set(requests.map(({ storeId }) => storeId))]);
  const claimable = requests.filter(({ storeId }) => webhooks.get(storeId) !== "unreadable");
  const claims = claimable.length === 0 ? [] : await records.claim(claimable, claimedBy);
  const inOrder = claims.values();
  const outcomes: DeliveryOutcome[] = [];
  const answers = requests.map((request): ClaimAnswer => {
    const webhook = webhooks.get(request.storeId) ?? null;
    if (webhook === "unreadable") return { decision: "later" };
    const answer = judge(request, inOrder.next().value, webhook, {
      now: now(),
      claimLifeMs,
    });
    if (answer.outcome !== undefined) outcomes.push(unsent(request.eventId, answer.outcome));
    return answer.tell;
  });
  if (outcomes.length > 0) await records.settle(outcomes);
  // Whoever stored their outcome may have died before it let go of them.
  const settled = claimable.filter((_, index) => claims[index]?.isSettled).map(({ eventId }) => eventId);
  if (settled.length > 0) await records.release(settled);
  return answers;
}

interface Judgement {
  readonly tell: ClaimAnswer;
  /** What is to be recorded at once, because nothing will be sent. */
  readonly outcome?: Pick<DeliveryOutcome, "kind" | "reason">;
}

function judge(
  request: DeliveryRequest,
  claim: StoredClaim | undefined,
  webhook: Webhook | null,
  { now, claimLifeMs }: { readonly now: Date; readonly claimLifeMs: number },
): Judgement {
  if (claim === undefined) throw new Error(`no claim for event ${request.eventId}`);
  if (claim.isSettled) return { tell: { decision: "settled" } };
  if (!claim.isNew) {
    if (now.getTime() - claim.claimedAt.getTime() < claimLifeMs) return { tell: { decision: "in_flight" } };
    const reason = "The sender stopped before the outcome was known. The message is not sent again.";
    return { tell: { decision: "settled" }, outcome: { kind: "interrupted", reason } };
  }
  if (request.queuedAt !== undefined && now.getTime() - request.queuedAt.getTime() >= eventLifeMs) {
    const reason = "The message waited for longer than 29 days and is not sent any more.";
    return { tell: { decision: "skipped" }, outcome: { kind: "skipped", reason } };
  }
  if (webhook === null) {
    return { tell: { decision: "skipped" }, outcome: { kind: "skipped", reason: "No webhook URL is set." } };
  }
  if (webhook.format === "v1" && !v1Events.includes(request.type)) {
    const reason = "The store's webhook format (v1) does not have this event.";
    return { tell: { decision: "skipped" }, outcome: { kind: "skipped", reason } };
  }
  return { tell: { decision: "send", target: webhook } };
}
