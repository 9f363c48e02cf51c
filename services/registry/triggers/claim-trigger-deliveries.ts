import { randomUUID } from "node:crypto";
import { isTestId } from "#shared/events/event-fields.ts";
import { standardSigningKey } from "#shared/webhook/standard-signature.ts";
import { sendWithinMs } from "../deliveries/claim-state.ts";
import type { TriggerFormat } from "./trigger.ts";
import type { DueTrigger, DueTriggers, ExaminedTrigger, QueuedEvent, TriggerQueue } from "./trigger-queue.ts";

/** The permission for one attempt to send an event to a trigger. */
export interface TriggerLease {
  readonly event: QueuedEvent;
  readonly token: string;
  readonly url: string;
  readonly format: TriggerFormat;
  readonly signingKeys: readonly Uint8Array[];
  /** Time limit for the first byte of the message, in milliseconds from the start of the call that claims the event. */
  readonly sendWithinMs: number;
  /** Number of this attempt, from 1; the count starts again when a disabled trigger is enabled. */
  readonly attempt: number;
}

/** The notifier that calls {@link claimTriggerDeliveries}, and the limits of its leases. */
export interface TriggerClaimant {
  readonly claimedBy: string;
  readonly countMax: number;
  /** Age at which a lease without a recorded result expires, in milliseconds. Longer than any attempt. */
  readonly leaseLifeMs: number;
  /** Returns the time that is left for the claim, in milliseconds. @throws LoadShedError if none is left */
  readonly timeLimitMs: () => number;
  /** Called with an error after which leases could still be granted, or had been granted. */
  readonly onCutShort: (error: unknown) => void;
}

/** Maximum number of events of one trigger that are in flight at the same time, across all notifiers. */
export const triggerConcurrencyMax = 4;

/** Maximum number of events of one store that are in flight at the same time, across all triggers and notifiers. */
export const storeConcurrencyMax = 8;

// A trigger is examined again this long after a claim could not lease its heads, because too many events of its store
// were in flight, or because its secrets cannot be read.
const storeBusyMs = 250;
const unreadableMs = 60_000;
// A claim reads the heads of due triggers in at most this many steps before it leases them.
const stepsMax = 3;
// A claim that examines this many times as many triggers as it may lease events for returns, although others are due.
const roundsMax = 10;

/**
 * Leases due events for one attempt each: only the oldest waiting event of each certificate, so that a trigger receives
 * a certificate's events in order. A trigger whose attempts fail gets one event at a time, and only tests while it is
 * paused. The trigger that has been due longest comes first; one that was examined counts as due since then.
 *
 * Concurrent calls never lease the same event, nor more than {@link triggerConcurrencyMax} events of a trigger. They
 * may exceed the limit of a store by a few events, because its triggers are counted before events are leased.
 *
 * If new events cannot be admitted, the claim leases the others. If another error occurs after leases were granted, the
 * claim ends and returns them.
 */
export async function claimTriggerDeliveries(queue: TriggerQueue, claimant: TriggerClaimant): Promise<TriggerLease[]> {
  const { countMax, leaseLifeMs, timeLimitMs, onCutShort } = claimant;
  const leases: TriggerLease[] = [];
  try {
    // In half of the time: new events can wait for a document that a killed replica has locked, those that are due must
    // not.
    await queue.admit(Math.ceil(timeLimitMs() / 2)).catch(onCutShort);
    let beganAt: number | undefined;
    for (let round = 0; round < roundsMax && leases.length < countMax; round++) {
      const left = countMax - leases.length;
      const due = await queue.due(left, timeLimitMs());
      beganAt ??= due.now;
      // The first leases must leave time for sending.
      if (due.triggers.length === 0 || due.now - beganAt > leaseLifeMs / 4) break;
      const { leased, areAll } = await leaseDue(queue, { ...claimant, countMax: left }, due);
      leases.push(...leased);
      if (due.triggers.length < left && areAll) break;
    }
  } catch (error) {
    // A lease granted but not returned would delay its event until the lease expires, and count as an attempt.
    if (leases.length === 0) throw error;
    onCutShort(error);
  }
  return leases;
}

/** Leases heads of due triggers. `areAll`: each trigger was examined, and no other claim has come first. */
async function leaseDue(queue: TriggerQueue, claimant: TriggerClaimant, due: DueTriggers) {
  const { claimedBy, leaseLifeMs, timeLimitMs } = claimant;
  const examined = await examineAll(queue, claimant, due);
  const token = randomUUID();
  const leased = await queue.lease(examined, { token, claimedBy, decidedAtMs: due.now }, timeLimitMs());
  const triggers = new Map(due.triggers.map((trigger) => [trigger.id, trigger]));
  const granted = examined.flatMap((one) => one.granted);
  const leases = granted.flatMap((event): TriggerLease[] => {
    const trigger = triggers.get(event.triggerId);
    if (!leased.has(event.id) || trigger === undefined || trigger.secrets === "unreadable") return [];
    const { url, format, secrets } = trigger;
    const signingKeys = secrets.map(standardSigningKey);
    const attempt = event.attempts + 1;
    return [{ event, token, url, format, signingKeys, sendWithinMs: sendWithinMs(leaseLifeMs), attempt }];
  });
  const areAll = examined.length === due.triggers.length && leases.length === granted.length;
  return { leased: leases, areAll };
}

/** Determines which heads to lease, and when each trigger is due next. */
async function examineAll(
  queue: TriggerQueue,
  claimant: TriggerClaimant,
  { triggers, now }: DueTriggers,
): Promise<ExaminedTrigger[]> {
  const freeOfStore = new Map<string, number>();
  for (const { storeId, inFlightOfStore } of triggers) freeOfStore.set(storeId, storeConcurrencyMax - inFlightOfStore);
  const examined: ExaminedTrigger[] = [];
  // A trigger that is not examined remains due. Those of the next step get what the heads of these did not need.
  for (let step = 0, left = claimant.countMax; step < stepsMax && left > 0; step++) {
    const examining: Examination[] = [];
    for (const trigger of triggers.slice(examined.length)) {
      if (left <= 0) break;
      const ofStore = freeOfStore.get(trigger.storeId) ?? 0;
      const countMax = Math.max(0, Math.min(left, ofStore, freeSlots(trigger, now)));
      left -= countMax;
      freeOfStore.set(trigger.storeId, ofStore - countMax);
      examining.push({ trigger, now, countMax, isStoreBusy: ofStore <= countMax });
    }
    const found = await Promise.all(examining.map((one) => examine(queue, claimant, one)));
    for (const [index, { trigger, countMax }] of examining.entries()) {
      const unused = countMax - (found[index]?.granted.length ?? 0);
      left += unused;
      freeOfStore.set(trigger.storeId, (freeOfStore.get(trigger.storeId) ?? 0) + unused);
    }
    examined.push(...found);
  }
  return examined;
}

interface Examination {
  readonly trigger: DueTrigger;
  readonly now: number;
  readonly countMax: number;
  /** Whether the store's limit, rather than the trigger's, may prevent further leases. */
  readonly isStoreBusy: boolean;
}

async function examine(
  queue: TriggerQueue,
  { timeLimitMs }: TriggerClaimant,
  { trigger, now, countMax, isStoreBusy }: Examination,
): Promise<ExaminedTrigger> {
  const kept = unexpired(trigger, now);
  const examined = { trigger, kept, granted: [] };
  if (trigger.secrets === "unreadable") return { ...examined, nextAt: now + unreadableMs };
  if (countMax <= 0) return { ...examined, nextAt: isStoreBusy ? now + storeBusyMs : trigger.nextAt };
  // One more shows when the trigger is due next.
  const query = { except: kept, countMax: countMax + 1, timeLimitMs: timeLimitMs() };
  const heads = await queue.heads(trigger, query);
  const isDue = ({ dueAt }: QueuedEvent) => dueAt <= now;
  const isPaused = trigger.pausedUntil !== null && trigger.pausedUntil > now;
  const granted = heads.filter((head) => isDue(head) && !(isPaused && !isTestId(head.eventId))).slice(0, countMax);
  const next = heads.find((head) => !granted.includes(head));
  if (next === undefined) return { ...examined, granted, nextAt: null };
  const isLeft = isDue(next) && !isTestId(next.eventId);
  // Others come first now: a trigger with a backlog counts as due since it was served last.
  const soon = isStoreBusy && !isPaused ? now + storeBusyMs : now;
  return { ...examined, granted, nextAt: isLeft ? soon : next.dueAt };
}

function unexpired({ leases }: DueTrigger, now: number): DueTrigger["leases"] {
  return leases.filter(({ until }) => until > now);
}

function freeSlots(trigger: DueTrigger, now: number): number {
  return (trigger.failures === 0 ? triggerConcurrencyMax : 1) - unexpired(trigger, now).length;
}
