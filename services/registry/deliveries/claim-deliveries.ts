import { v1Events } from "#shared/events/v1-events.ts";
import type { Webhook } from "../stores/webhooks.ts";
import {
  claimStateOf,
  defaultClaimLifeMs,
  interruptedOutcome,
  type UnsentOutcome,
  unsentOutcome,
} from "./claim-state.ts";
import type { DeliveryOutcome, DeliveryRecords, DeliveryRequest, StoredClaim } from "./delivery.ts";
import { logLifeMs } from "./delivery-log.ts";

/** The answer to a claim. `later`: the claim was not stored, because the store's signing secret is unreadable. */
export type ClaimAnswer =
  | { readonly decision: "send"; readonly target: Webhook }
  | { readonly decision: "skipped" | "settled" | "in_flight" | "later" };

// A stored claim prevents a second POST, but expires with the delivery log. An event is therefore not sent once its claim
// may have expired; the margin of one day covers clock skew.
const eventLifeMs = logLifeMs - 86_400_000;

/**
 * Claims events for delivery. Delivery is at most once: only the notifier whose call stored an event's claim may send
 * the event. If that notifier crashes, the event is settled as interrupted (INTERFACE.md §6, rule 2).
 *
 * @param claimLifeMs age at which a claim without an outcome counts as abandoned; default 60,000
 * @returns the answers in the order of the requests
 */
export async function claimDeliveries(
  records: DeliveryRecords,
  requests: readonly DeliveryRequest[],
  claimedBy: string,
  claimLifeMs = defaultClaimLifeMs,
): Promise<ClaimAnswer[]> {
  // Webhooks are read first: a claim is final, and an event that cannot be signed now must remain claimable.
  const { webhooks, now } = await records.webhooksOf([...new Set(requests.map(({ storeId }) => storeId))]);
  const claimable = requests.filter(({ storeId }) => webhooks.get(storeId) !== "unreadable");
  const claims = claimable.length === 0 ? [] : await records.claim(claimable, claimedBy, now);
  const claimsInOrder = claims.values();
  const outcomes: DeliveryOutcome[] = [];
  const answers = requests.map((request): ClaimAnswer => {
    const webhook = webhooks.get(request.storeId) ?? null;
    if (webhook === "unreadable") return { decision: "later" };
    const { answer, outcome } = decide(request, claimsInOrder.next().value, webhook, { now, claimLifeMs });
    if (outcome !== undefined) outcomes.push(unsentOutcome(request.eventId, outcome));
    return answer;
  });
  // The replica that stored the outcome may have crashed before it released the event.
  const settled = claimable.filter((_, index) => claims[index]?.isSettled).map(({ eventId }) => eventId);
  try {
    if (outcomes.length > 0) await records.settle(outcomes);
    if (settled.length > 0) await records.release(settled);
  } catch (error) {
    // A new claim can be answered only now: after an error, its event would never be sent. Others are claimed again.
    if (!answers.some(({ decision }) => decision === "send")) throw error;
    return answers.map((answer) =>
      answer.decision === "send" || answer.decision === "later" ? answer : { decision: "in_flight" },
    );
  }
  return answers;
}

interface Decision {
  readonly answer: ClaimAnswer;
  /** The outcome to store immediately, because no delivery attempt follows. */
  readonly outcome?: UnsentOutcome;
}

function decide(
  request: DeliveryRequest,
  claim: StoredClaim | undefined,
  webhook: Webhook | null,
  { now, claimLifeMs }: { readonly now: Date; readonly claimLifeMs: number },
): Decision {
  if (claim === undefined) throw new Error(`no claim for event ${request.eventId}`);
  const state = claimStateOf(claim, now, claimLifeMs);
  if (state === "interrupted") return { answer: { decision: "settled" }, outcome: interruptedOutcome };
  if (state !== "new") return { answer: { decision: state } };
  if (request.queuedAt !== undefined && now.getTime() - request.queuedAt.getTime() >= eventLifeMs)
    return skip(
      "The message was not sent within 29 days and has expired; the API's certificate list shows the current state.",
    );
  if (webhook === null) return skip("No webhook URL is set. Set one to receive messages.");
  if (webhook.format === "v1" && !v1Events.includes(request.type))
    return skip("The store's webhook format (v1) does not include this event. Switch to format v2 to receive it.");
  return { answer: { decision: "send", target: webhook } };
}

function skip(reason: string): Decision {
  return { answer: { decision: "skipped" }, outcome: { kind: "skipped", reason } };
}
