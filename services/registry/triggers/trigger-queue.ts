import type { DeliveryOutcome } from "../deliveries/delivery.ts";
import type { RecordedOutcome } from "../deliveries/delivery-log.ts";
import type { LogPlace } from "../values/page-token.ts";
import type { TriggerFormat } from "./trigger.ts";

/** The delivery states of a trigger's event. `skipped` means intentionally not delivered. */
export const deliveryStates = ["waiting", "delivered", "given_up", "skipped"] as const;

/** One of {@link deliveryStates}. */
export type DeliveryState = (typeof deliveryStates)[number];

/** An enabled trigger that has waiting events. */
export interface WaitingTrigger {
  readonly id: string;
  readonly storeId: string;
  readonly url: string;
  readonly format: TriggerFormat;
  /** The secrets that sign its messages, the active one first; `unreadable` if one cannot be decrypted. */
  readonly secrets: readonly string[] | "unreadable";
  /** Number of failed attempts, tests excluded, since the last delivery or, if later, since the trigger was enabled. */
  readonly failures: number;
  /** Only tests are sent before this time; null if the trigger is not paused. */
  readonly pausedUntil: Date | null;
  /** Number of the trigger's events that have an unexpired lease. */
  readonly inFlightCount: number;
}

/** The enabled triggers that have waiting events, as of the database's time `now`. */
export interface WaitingTriggers {
  readonly triggers: readonly WaitingTrigger[];
  readonly now: Date;
}

/** A trigger's event in the state `waiting`. */
export interface QueuedEvent {
  /** Id in the queue. */
  readonly id: string;
  readonly eventId: string;
  readonly triggerId: string;
  readonly storeId: string;
  readonly certificateId: string;
  readonly at: Date;
  /** The encoded events.v1.CertificateEvent; empty in the results of `oldest` and `leased`. */
  readonly event: Uint8Array;
  readonly attempts: number;
  /**
   * Start of the retry horizon. Null before the first attempt. Enabling the trigger resets it: to null or, for an event
   * in flight, to the time of enabling.
   */
  readonly firstAttemptAt: Date | null;
  readonly nextAttemptAt: Date;
  /**
   * Identifies the latest lease. Null before the first lease, once its result is recorded, and when the trigger is
   * enabled after the lease has expired.
   */
  readonly leaseToken: string | null;
}

/** Selects due events. */
export interface DueQuery {
  readonly countMax: number;
  /** Whether to return only tests or all due events. */
  readonly only: "tests" | "all";
  /** See {@link TriggerQueue}. */
  readonly timeLimitMs: number;
}

/** A lease on an event for one attempt. */
export interface NewLease {
  readonly token: string;
  readonly claimedBy: string;
  readonly firstAttemptAt: Date;
  /** When the lease ends unless a result is recorded before then. */
  readonly expiresAt: Date;
}

/** A trigger's event, as the log shows it. */
export interface LoggedTriggerDelivery {
  readonly eventId: string;
  readonly triggerId: string;
  readonly certificateId: string;
  /** An events.v1.EventType. */
  readonly type: number;
  readonly occurredAt: Date;
  /** Undefined for a state that a later version has stored. */
  readonly state: DeliveryState | undefined;
  readonly attempts: number;
  /** Null once the event is settled. */
  readonly nextAttemptAt: Date | null;
  /** Null before the first result. */
  readonly lastAttempt: RecordedOutcome | null;
}

/** Selects a page of the log, which is ordered from the newest event to the oldest. */
export interface TriggerLogQuery {
  readonly storeId: string;
  /** Undefined selects all triggers of the store. */
  readonly triggerId: string | undefined;
  readonly state: DeliveryState | undefined;
  readonly after: LogPlace | undefined;
}

/** The load of all triggers of the installation. Waiting events of disabled triggers do not count. */
export interface TriggerLoad {
  readonly waitingCount: number;
  /** When the oldest waiting event of an enabled trigger occurred; undefined if no such event exists. */
  readonly oldestAt: Date | undefined;
  readonly disabledCount: number;
}

/**
 * The queue of events for triggers. Events are added in the transaction of the certificate's change. Leases are timed
 * by the database's clock, so that all replicas agree on them. `timeLimitMs` is how long the caller of a method waits,
 * in milliseconds; `Infinity` means no limit. Methods throw ServiceError `unavailable` when the database is unavailable
 * or the time limit has passed.
 */
export interface TriggerQueue {
  waitingTriggers(): Promise<WaitingTriggers>;
  /** Returns due events, starting with the one that became due first. */
  due(triggerId: string, now: Date, query: DueQuery): Promise<QueuedEvent[]>;
  /** Returns the trigger's oldest waiting event for each of the given certificates, by certificate id. */
  oldest(
    triggerId: string,
    certificateIds: readonly string[],
    timeLimitMs: number,
  ): Promise<ReadonlyMap<string, QueuedEvent>>;
  /** Postpones the later waiting events for the event's certificate and trigger, except leased ones. */
  postponeBehind(event: QueuedEvent, until: Date, timeLimitMs: number): Promise<void>;
  /** Leases an event, unless it has changed since it was read. @returns whether the caller has the lease */
  lease(event: QueuedEvent, lease: NewLease, timeLimitMs: number): Promise<boolean>;
  /** Returns the events that are waiting and whose latest lease is one of the given leases. */
  leased(leases: readonly { readonly id: string; readonly token: string }[]): Promise<LeasedEvents>;
  /** Records an outcome, schedules the next attempt and ends the lease. No effect if the lease has been lost. */
  retry(event: QueuedEvent, outcome: DeliveryOutcome, at: Date): Promise<void>;
  /**
   * Settles an event, deletes its encoded content, and makes the oldest unattempted event for the same certificate and
   * trigger due at once. No effect if the lease has been lost.
   */
  settle(event: QueuedEvent, state: Exclude<DeliveryState, "waiting">, outcome: DeliveryOutcome): Promise<void>;
  /** Records a delivery to a trigger. @returns the trigger's previous `failures`; 0 if the trigger was deleted */
  delivered(triggerId: string, now: Date): Promise<number>;
  /** Makes the waiting events of a trigger due at once, except those that are leased. */
  makeAllDue(triggerId: string, now: Date): Promise<void>;
  /** Records a failed attempt. @returns the updated trigger; undefined if the trigger was deleted */
  failed(triggerId: string, now: Date): Promise<FailedTrigger | undefined>;
  pause(triggerId: string, until: Date): Promise<void>;
  /** Adds a test, which is due at once. */
  addTest(test: NewTest): Promise<void>;
  readLog(query: TriggerLogQuery, countMax: number): Promise<LoggedTriggerDelivery[]>;
  load(): Promise<TriggerLoad>;
}

/** Leased events by id, and the database's time. */
export interface LeasedEvents {
  readonly events: ReadonlyMap<string, QueuedEvent>;
  readonly now: Date;
}

/** A trigger after a failed attempt. */
export interface FailedTrigger {
  readonly failures: number;
  readonly lastDeliveredAt: Date | null;
}

/** A test to queue. */
export type NewTest = Pick<QueuedEvent, "eventId" | "triggerId" | "storeId" | "certificateId" | "at" | "event"> & {
  readonly type: number;
};
