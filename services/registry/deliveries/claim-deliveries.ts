import { v1Events } from "#shared/events/v1-events.ts";
import type { Webhook } from "../stores/webhooks.ts";
import { claimStateOf, defaultClaimLifeMs, interruptedOutcome } from "./claim-state.ts";
import type { DeliveryOutcome, DeliveryRecords, DeliveryRequest, StoredClaim } from "./delivery.ts";
import { logLifeMs } from "./delivery-log.ts";
import { unsent } from "./unsent.ts";

/** What to do with an event. */
export type ClaimAnswer =
  | { readonly decision: "send"; readonly target: Webhook }
  | { readonly decision: "skipped" | "settled" | "in_flight" | "later" };

// The record of a claim is what stops a second POST, and it is kept no longer than the log. So an event is not sent any
// more when a record of an earlier claim may be gone; the day between allows for clocks that differ.
const eventLifeMs = logLifeMs - 86_400_000;

/**
 * Claims events for sending. An event is to be sent by the call that stored its claim and by no other, ever: a claim
 * whose sender died is settled as interrupted (INTERFACE.md §6, rule 2).
 *
 * @param claimLifeMs how old a claim without an outcome is when its sender counts as dead; default 60,000
 */
export async function claimDeliveries(
  records: DeliveryRecords,
  requests: readonly DeliveryRequest[],
  claimedBy: string,
  claimLifeMs = defaultClaimLifeMs,
): Promise<ClaimAnswer[]> {
  // Read before claiming: a claim is final, and what cannot be signed now is to be sent when it can.
  const { webhooks, now } = await records.webhooksOf([...new Set(requests.map(({ storeId }) => storeId))]);
  const claimable = requests.filter(({ storeId }) => webhooks.get(storeId) !== "unreadable");
  const claims = claimable.length === 0 ? [] : await records.claim(claimable, claimedBy, now);
  const inOrder = claims.values();
  const outcomes: DeliveryOutcome[] = [];
  const answers = requests.map((request): ClaimAnswer => {
    const webhook = webhooks.get(request.storeId) ?? null;
    if (webhook === "unreadable") return { decision: "later" };
    const answer = judge(request, inOrder.next().value, webhook, { now, claimLifeMs });
    if (answer.outcome !== undefined) outcomes.push(unsent(request.eventId, answer.outcome));
    return answer.tell;
  });
  // Whoever stored their outcome may have died before it let go of them.
  const settled = claimable.filter((_, index) => claims[index]?.isSettled).map(({ eventId }) => eventId);
  try {
    if (outcomes.length > 0) await records.settle(outcomes);
    if (settled.length > 0) await records.release(settled);
  } catch (error) {
    // What is claimed for sending now is sent now or never; the others come again.
    if (!answers.some(({ decision }) => decision === "send")) throw error;
    return answers.map((answer) => (isOfNow(answer) ? answer : { decision: "in_flight" }));
  }
  return answers;
}

function isOfNow({ decision }: ClaimAnswer): boolean {
  return decision === "send" || decision === "later";
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
  const state = claimStateOf(claim, now, claimLifeMs);
  if (state === "interrupted") return { tell: { decision: "settled" }, outcome: interruptedOutcome };
  if (state !== "new") return { tell: { decision: state } };
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
