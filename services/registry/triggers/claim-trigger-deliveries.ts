import { randomUUID } from "node:crypto";
import { standardSigningKey } from "#shared/webhook/standard-signature.ts";
import { sendWithinMs } from "../deliveries/claim-state.ts";
import type { TriggerFormat } from "./trigger.ts";
import type { QueuedEvent, TriggerQueue, WaitingTrigger, WaitingTriggers } from "./trigger-queue.ts";

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
  /** Called with the error that ended the claim after leases had been granted. */
  readonly onCutShort: (error: unknown) => void;
}

/** Maximum number of events of one trigger that are in flight at the same time, across all notifiers. */
export const triggerConcurrencyMax = 4;

/** Maximum number of events of one store that are in flight at the same time, across all triggers and notifiers. */
export const storeConcurrencyMax = 8;

// An event that must wait for an older event of its certificate cannot be leased, so more events are read than will be
// leased.
const readsPerLease = 4;
// Longest postponement of an event that must wait for an older event of its certificate. Settling the older event makes
// the next one due at once; if that write is lost, the next event is late by at most this time.
const postponeMaxMs = 60_000;
// Longest postponement while the older event is in flight. Shorter, because the older event may be settled just before
// the postponement is written: the next event then waits until the postponement ends.
const postponeBehindLeasedMaxMs = 5_000;
const postponeMinMs = 1_000;

/**
 * Leases due events for one attempt each. A certificate's next event is leased only once the earlier one is settled, so
 * that a trigger receives a certificate's events in order. A trigger whose attempts fail gets one event at a time, and
 * only tests while it is paused. Triggers are served in random order, so that no trigger starves the others.
 *
 * Concurrent calls never lease the same event, nor two events of a certificate for one trigger. They may exceed the
 * concurrency limits by a few events, because each call counts the events in flight before it leases more.
 *
 * If an error occurs after leases were granted, the claim ends and returns them.
 */
export async function claimTriggerDeliveries(queue: TriggerQueue, claimant: TriggerClaimant): Promise<TriggerLease[]> {
  const waiting = await queue.waitingTriggers();
  const leases: TriggerLease[] = [];
  try {
    for await (const lease of grantLeases(queue, claimant, waiting)) leases.push(lease);
  } catch (error) {
    // A lease granted but not returned would delay its event until the lease expires, and count as an attempt.
    if (leases.length === 0) throw error;
    claimant.onCutShort(error);
  }
  return leases;
}

async function* grantLeases(
  queue: TriggerQueue,
  { claimedBy, countMax, leaseLifeMs, timeLimitMs }: TriggerClaimant,
  { triggers, now }: WaitingTriggers,
): AsyncGenerator<TriggerLease> {
  const inFlightOfStore = new Map<string, number>();
  for (const { storeId, inFlightCount } of triggers)
    inFlightOfStore.set(storeId, (inFlightOfStore.get(storeId) ?? 0) + inFlightCount);
  const expiresAt = new Date(now.getTime() + leaseLifeMs);
  let grantedCount = 0;
  for (const trigger of shuffled(triggers)) {
    const { storeId, secrets, url, format } = trigger;
    const ofStore = inFlightOfStore.get(storeId) ?? 0;
    const count = Math.min(countMax - grantedCount, storeConcurrencyMax - ofStore, freeSlots(trigger));
    if (count <= 0 || secrets === "unreadable") continue;
    const signingKeys = secrets.map(standardSigningKey);
    for (const event of await oldestDue(queue, trigger, { now, countMax: count, timeLimitMs })) {
      const token = randomUUID();
      const firstAttemptAt = event.firstAttemptAt ?? now;
      if (!(await queue.lease(event, { token, claimedBy, firstAttemptAt, expiresAt }, timeLimitMs()))) continue;
      grantedCount++;
      inFlightOfStore.set(storeId, (inFlightOfStore.get(storeId) ?? 0) + 1);
      const attempt = event.attempts + 1;
      yield { event, token, url, format, signingKeys, sendWithinMs: sendWithinMs(leaseLifeMs), attempt };
    }
  }
}

function freeSlots({ failures, inFlightCount }: WaitingTrigger): number {
  return (failures === 0 ? triggerConcurrencyMax : 1) - inFlightCount;
}

/** Returns the due events that are the oldest waiting ones of their certificates, and postpones the others. */
async function oldestDue(
  queue: TriggerQueue,
  { id, pausedUntil }: WaitingTrigger,
  { now, countMax, timeLimitMs }: Pick<TriggerClaimant, "countMax" | "timeLimitMs"> & { readonly now: Date },
): Promise<QueuedEvent[]> {
  const isPaused = pausedUntil !== null && pausedUntil > now;
  const due = await queue.due(id, now, {
    countMax: countMax * readsPerLease,
    timeLimitMs: timeLimitMs(),
    only: isPaused ? "tests" : "all",
  });
  if (due.length === 0) return [];
  const certificateIds = new Set(due.map(({ certificateId }) => certificateId));
  const oldest = await queue.oldest(id, [...certificateIds], timeLimitMs());
  const first: QueuedEvent[] = [];
  const postponed = new Set<string>();
  for (const event of due) {
    const head = oldest.get(event.certificateId);
    // The event has been settled since it was read.
    if (head === undefined) continue;
    if (head.id === event.id) {
      first.push(event);
      continue;
    }
    if (postponed.has(head.id)) continue;
    postponed.add(head.id);
    await queue.postponeBehind(head, postponedUntil(head, now), timeLimitMs());
  }
  return first.slice(0, countMax);
}

function postponedUntil({ nextAttemptAt, leaseToken }: QueuedEvent, now: Date): Date {
  const waitMs = nextAttemptAt.getTime() - now.getTime();
  const maxMs = leaseToken === null ? postponeMaxMs : postponeBehindLeasedMaxMs;
  return new Date(now.getTime() + Math.min(maxMs, Math.max(postponeMinMs, waitMs)));
}

function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, place: Math.random() }))
    .sort((one, other) => one.place - other.place)
    .map(({ item }) => item);
}
