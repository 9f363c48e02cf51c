import { v1Events } from "#shared/events/v1-events.ts";
import { type Reason, reason } from "#shared/reasons/reason.ts";
import { dayMs } from "#shared/time/day.ts";
import type { Webhook } from "../stores/webhooks.ts";
import { defaultRetention } from "../values/retention.ts";
import { claimStateOf, interruptedOutcome, lostClaimOutcome, sendWithinMs, unsentOutcome } from "./claim-state.ts";
import type { ClaimOrigin, DeliveryRecords, DeliveryRequest, OutcomeToStore, StoredClaim } from "./delivery.ts";

/** The answer to a claim. `later`: the claim was not stored, because the store's signing secret is unreadable. */
type ClaimAnswer =
  | {
      readonly decision: "send";
      readonly target: Webhook;
      /** Time limit for the first byte of the message, in milliseconds from the start of the claim call. */
      readonly sendWithinMs: number;
    }
  | { readonly decision: "skipped" | "settled" | "in_flight" | "later" };

/** The caller and the settings of {@link claimDeliveries}. */
export interface Claimant extends Pick<ClaimOrigin, "claimedBy"> {
  /**
   * Called before the claims are written; returns the time that the write may take, in milliseconds. By default there
   * is no limit.
   *
   * @throws ServiceError when the caller no longer waits for the response
   */
  readonly timeLimitMs?: () => number;
  /** The restores of the database from backups. Default: there was none, and all events may be sent. */
  readonly restores?: Restores | undefined;
  /** Days for which the delivery log is kept, and with it each claim. Default 30. */
  readonly deliveryLogDays?: number | undefined;
}

/**
 * The restores of the database. An event from before a restore is not sent if the restore may have lost its claim.
 * Times decide only for events without an epoch: a clock that was wrong during the restore would stop later events.
 */
export interface Restores {
  /** The epochs whose events may be sent, one for each restore; the empty string: events from before the first one. */
  readonly sendableEpochs: ReadonlySet<string>;
  /** Events without an epoch that were inserted into the outbox up to this time are not sent. */
  readonly unsentBefore: Date | undefined;
}

/**
 * Claims events for delivery. Delivery is at most once: only the attempt whose call stored an event's claim may send
 * the event. If that attempt gets no response, it retries the call with its token, and its claim is renewed. If its
 * notifier crashes, the event is settled as interrupted (INTERFACE.md §6, rule 2).
 *
 * @returns the answers in the order of the requests
 */
export async function claimDeliveries(
  records: DeliveryRecords,
  requests: readonly DeliveryRequest[],
  { claimedBy, timeLimitMs, restores, deliveryLogDays = defaultRetention.deliveryLogDays }: Claimant,
): Promise<ClaimAnswer[]> {
  // A stored claim prevents a second POST, but is kept only as long as the delivery log. An event is therefore not sent
  // once its claim may have been deleted; the margin of one day covers clock skew.
  const eventLifeDays = deliveryLogDays - 1;
  const { claimLifeMs } = records;
  // Webhooks are read first: a claim is final, and an event that cannot be signed now must remain claimable.
  const { webhooks, now } = await records.webhooksOf([...new Set(requests.map(({ storeId }) => storeId))]);
  const claimable = requests.filter(({ storeId }) => webhooks.get(storeId) !== "unreadable");
  const origin = { claimedBy, claimedAt: now, timeLimitMs: timeLimitMs?.() };
  const claimed = claimable.length === 0 ? [] : await claimEvents(records, claimable, origin);
  const claimedInOrder = claimed.values();
  const outcomes: OutcomeToStore[] = [];
  const answers = requests.map((request): ClaimAnswer => {
    const webhook = webhooks.get(request.storeId) ?? null;
    if (webhook === "unreadable") return { decision: "later" };
    const { answer, outcome } = decide(claimedInOrder.next().value, webhook, {
      now,
      claimLifeMs,
      restores,
      eventLifeDays,
    });
    if (outcome !== undefined) outcomes.push(outcome);
    return answer;
  });
  const renewedMeanwhile = new Set<string>();
  try {
    if (outcomes.length > 0) {
      const settled = await records.settle(outcomes);
      for (const { eventId } of outcomes) if (!settled.has(eventId)) renewedMeanwhile.add(eventId);
    }
    // The replica that stored the outcome may have crashed before it released the event.
    const settledEarlier = claimed.flatMap(({ state, request }) => (state === "settled" ? request.eventId : []));
    if (settledEarlier.length > 0) await records.release(settledEarlier);
  } catch (error) {
    // An error would withhold the granted claims, and the notifier would have to retry its call for them. The other
    // events are therefore reported as in flight, so that the notifier claims them again later.
    if (!answers.some(({ decision }) => decision === "send")) throw error;
    return answers.map((answer) =>
      answer.decision === "send" || answer.decision === "later" ? answer : { decision: "in_flight" },
    );
  }
  return answers.map((answer, index) =>
    renewedMeanwhile.has(requests[index]?.eventId ?? "") ? { decision: "in_flight" } : answer,
  );
}

/** An event with its stored claim. `granted`: the current attempt has the claim. */
interface ClaimedEvent {
  readonly request: DeliveryRequest;
  readonly claim: StoredClaim;
  readonly state: "granted" | "in_flight" | "interrupted" | "settled";
}

/** Claims the events, and renews the claims of attempts that retry their call. */
async function claimEvents(
  records: DeliveryRecords,
  requests: readonly DeliveryRequest[],
  origin: ClaimOrigin,
): Promise<ClaimedEvent[]> {
  const claims = await records.claim(requests, origin);
  const found = requests.map((request, index) => {
    const claim = claims[index];
    if (claim === undefined) throw new Error(`no claim for event ${request.eventId}`);
    return { request, claim, state: claimStateOf(claim, request.attemptToken, origin.claimedAt, records.claimLifeMs) };
  });
  const resumable = found.flatMap(({ state, request }) => (state === "resumable" ? request : []));
  const renewed = resumable.length === 0 ? undefined : await records.renew(resumable, origin.claimedAt);
  return found.map(({ request, claim, state }) => {
    if (state === "new") return { request, claim, state: "granted" };
    if (state !== "resumable") return { request, claim, state };
    // A claim that could not be renewed was settled meanwhile or belongs to another attempt; the next call shows which.
    return { request, claim, state: renewed?.has(request.eventId) ? "granted" : "in_flight" };
  });
}

interface Decision {
  readonly answer: ClaimAnswer;
  /** The outcome to store immediately, because no delivery attempt follows. */
  readonly outcome?: OutcomeToStore;
}

function decide(
  claimed: ClaimedEvent | undefined,
  webhook: Webhook | null,
  {
    now,
    claimLifeMs,
    restores,
    eventLifeDays,
  }: {
    readonly now: Date;
    readonly claimLifeMs: number;
    readonly restores: Restores | undefined;
    readonly eventLifeDays: number;
  },
): Decision {
  if (claimed === undefined) throw new Error("an event has no claim");
  const { request, claim, state } = claimed;
  const { eventId, queuedAt, type } = request;
  if (state === "interrupted") {
    const outcome = { ...unsentOutcome(eventId, interruptedOutcome), ifClaimedAt: claim.claimedAt };
    return { answer: { decision: "settled" }, outcome };
  }
  if (state !== "granted") return { answer: { decision: state } };
  if (restores !== undefined && mayHaveLostClaim(request, restores)) {
    const outcome = { ...unsentOutcome(eventId, lostClaimOutcome), ifClaimedAt: now };
    return { answer: { decision: "settled" }, outcome };
  }
  if (queuedAt !== undefined && now.getTime() - queuedAt.getTime() >= eventLifeDays * dayMs)
    return skip(request, now, reason("message_expired", { days: eventLifeDays }));
  if (webhook === null) return skip(request, now, reason("no_webhook_url"));
  if (webhook.format === "v1" && !v1Events.includes(type)) return skip(request, now, reason("event_not_in_format"));
  return { answer: { decision: "send", target: webhook, sendWithinMs: sendWithinMs(claimLifeMs) } };
}

function mayHaveLostClaim({ epoch, queuedAt }: DeliveryRequest, { sendableEpochs, unsentBefore }: Restores): boolean {
  if (epoch !== undefined) return !sendableEpochs.has(epoch);
  return unsentBefore !== undefined && queuedAt !== undefined && queuedAt <= unsentBefore;
}

/**
 * Skips an event, provided that the claim still has this call's time. A later time means that the attempt has retried
 * the call, and the retry may have found a webhook. A call writes no claim if the attempt stopped waiting for that call
 * before its time was read, so a later time is always that of the retry.
 */
function skip({ eventId }: DeliveryRequest, now: Date, why: Reason): Decision {
  const outcome = { ...unsentOutcome(eventId, { kind: "skipped", reason: why }), ifClaimedAt: now };
  return { answer: { decision: "skipped" }, outcome };
}
