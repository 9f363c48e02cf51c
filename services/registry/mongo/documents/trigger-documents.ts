import type { Binary } from "mongodb";
import type { LiveSecrets, StoredSecret } from "../../secrets/rotate-secrets.ts";
import type { Trigger } from "../../triggers/trigger.ts";
import type { DeliveryState, DueTrigger, QueuedEvent } from "../../triggers/trigger-queue.ts";
import { compoundKey } from "./compound-key.ts";
import type { LeasedDocument, StoredLease } from "./leased-document.ts";
import type { DeliveryOutcomeDocument } from "./outcome-documents.ts";

/** A workflow trigger. */
export interface TriggerDocument
  extends Omit<Trigger, "id" | "waitingCount" | "secretCreatedAt" | "previousSecretUntil">,
    Pick<DueTrigger, "failures" | "pausedUntil" | "nextAt" | "version"> {
  readonly _id: string;
  readonly store: string;
  readonly secrets: LiveSecrets<StoredSecret>;
  /**
   * When a claim examines the trigger next; null if nothing waits or the trigger is disabled. See `reschedule`. All
   * times that are numbers are the database's, in milliseconds since 1970.
   */
  readonly dueAt: number | null;
  /**
   * How many of its heads are leased, and when that ends; `key` is {@link leaseKey}. The leases themselves are in the
   * heads. An expired one is removed when the trigger is examined.
   */
  readonly leases: readonly { readonly key: string; readonly until: number }[];
  /** When its times were last determined: a time in the future shows that the database's clock was set back. */
  readonly timedAt: number;
}

/** When tests are due, which are due at once, also while the trigger is paused. */
export const testsDueAt = 0;

/** Returns the key of a lease in the trigger's document. @param id the event's id in the queue */
export function leaseKey({ token, id }: { readonly token: string; readonly id: string }): string {
  return compoundKey(token, id);
}

/**
 * An event that a trigger receives: in the trigger's queue until it is settled, then kept for the log. For each trigger
 * and certificate, the oldest waiting event is the head, and only heads are sent.
 */
export interface TriggerDeliveryDocument
  extends LeasedDocument,
    Pick<QueuedEvent, "at" | "attempts" | "firstAttemptAt"> {
  /** The trigger's id, a slash and the event's id. */
  readonly _id: string;
  readonly store: string;
  readonly trigger: string;
  readonly certificate: string;
  readonly type: number;
  readonly state: DeliveryState;
  /** The encoded events.v1.CertificateEvent; absent once the event is settled. */
  readonly event?: Binary;
  /** Present in heads: when the event is due or, while it is leased, when the lease expires; {@link testsDueAt}. */
  readonly dueAt?: Date;
  /** Present in heads that later events wait for: how often such events have been noted. */
  readonly followers?: number;
  /** Present until the event has its place in the queue, and its trigger is due if the event is a head. */
  readonly fresh?: true;
  /**
   * The latest lease, and the notifier that has it. Absent before the first lease, once its result is recorded, and
   * when the trigger is enabled after the lease has expired.
   */
  readonly lease?: StoredLease & { readonly by: string };
  readonly lastAttempt: DeliveryOutcomeDocument | null;
}

/** Selects the heads. */
export const isHead = { dueAt: { $exists: true } } as const;

/** An event to publish on the stream of automation events; deleted once the stream has stored it. */
export interface AutomationDocument {
  /** The event's id. */
  readonly _id: string;
  readonly store: string;
  readonly at: Date;
  /** The database's time of the change; the store's clock can be ahead of it. */
  readonly storedAt: Date;
  /** The event's public name: a registry that relays the event after a rollback may not know its type. */
  readonly name: string;
  /** The encoded events.v1.CertificateEvent. */
  readonly event: Binary;
}

/** Returns a new entry for a trigger's queue. @param dueAt see {@link TriggerDeliveryDocument}; undefined if unknown */
export function newEntry(
  entry: Pick<TriggerDeliveryDocument, "store" | "trigger" | "certificate" | "type" | "at"> & {
    readonly eventId: string;
    readonly event: Binary;
  },
  dueAt: Date | undefined,
): TriggerDeliveryDocument {
  const { eventId, store, trigger, certificate, type, at, event } = entry;
  return {
    _id: compoundKey(trigger, eventId),
    store,
    trigger,
    certificate,
    type,
    at,
    state: "waiting",
    event,
    attempts: 0,
    firstAttemptAt: null,
    lastAttempt: null,
    fresh: true,
    ...(dueAt !== undefined && { dueAt }),
  };
}

/** Returns the fields of an entry that is settled, as expressions: it stays in the log, without its event. */
export function settledFields(
  state: Exclude<DeliveryState, "waiting">,
  lastAttempt: TriggerDeliveryDocument["lastAttempt"],
) {
  const removed = { event: "$$REMOVE", dueAt: "$$REMOVE", followers: "$$REMOVE", fresh: "$$REMOVE" };
  return { state, lastAttempt: { $literal: lastAttempt }, ...removed };
}

/** Converts a stored queue entry. `event` is empty if it was not read or is no longer stored. */
export function queuedEventOf(document: TriggerDeliveryDocument): QueuedEvent {
  const { _id: id, trigger, store, certificate, at, event, attempts, firstAttemptAt, dueAt } = document;
  return {
    id,
    eventId: id.slice(trigger.length + 1),
    triggerId: trigger,
    storeId: store,
    certificateId: certificate,
    at,
    event: event?.value() ?? new Uint8Array(),
    attempts,
    firstAttemptAt,
    dueAt: dueAt?.getTime() ?? testsDueAt,
  };
}

/** Converts a stored trigger, omitting its secrets. */
export function triggerOf(document: TriggerDocument, waitingCount: number): Trigger {
  const { _id: id, url, format, events, createdAt, disabled, failingSince, lastDeliveredAt, secrets } = document;
  return {
    id,
    url,
    format,
    events,
    createdAt,
    disabled,
    failingSince,
    lastDeliveredAt,
    waitingCount,
    secretCreatedAt: secrets.active.createdAt,
    previousSecretUntil: secrets.others[0]?.until ?? null,
  };
}
