import type { DeliveryOutcome } from "../deliveries/delivery.ts";
import type { RecordedOutcome } from "../deliveries/delivery-log.ts";
import type { WorkClaim } from "../leases/leased-queue.ts";
import type { LogPlace } from "../values/page-token.ts";
import type { TriggerFormat } from "./trigger.ts";

/** The delivery states of a trigger's event. `skipped` means intentionally not delivered. */
export const deliveryStates = ["waiting", "delivered", "given_up", "skipped"] as const;

/** One of {@link deliveryStates}. */
export type DeliveryState = (typeof deliveryStates)[number];

/** An enabled trigger that is due. Times that are numbers are the database's, in milliseconds since 1970. */
export interface DueTrigger {
  readonly id: string;
  readonly storeId: string;
  readonly url: string;
  readonly format: TriggerFormat;
  /** The secrets that sign its messages, the active one first; `unreadable` if one cannot be decrypted. */
  readonly secrets: readonly string[] | "unreadable";
  /** Number of failed attempts, tests excluded, since the last delivery or, if later, since the trigger was enabled. */
  readonly failures: number;
  /** Only tests are sent before this time; null if the trigger is not paused. */
  readonly pausedUntil: number | null;
  /** See {@link ExaminedTrigger.nextAt}. */
  readonly nextAt: number | null;
  /** Its leases; some may have expired. `key` identifies the lease. */
  readonly leases: readonly { readonly key: string; readonly until: number }[];
  /** Number of unexpired leases of all triggers of its store, its own included. */
  readonly inFlightOfStore: number;
  /** The version of the trigger's document; {@link TriggerQueue.lease} changes only this version. */
  readonly version: number;
}

/** The triggers that are due, the one first that has been due longest, as of the database's time `now`. */
export interface DueTriggers {
  readonly triggers: readonly DueTrigger[];
  readonly now: number;
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
  /** The encoded events.v1.CertificateEvent; empty in the result of `leased`. */
  readonly event: Uint8Array;
  readonly attempts: number;
  /**
   * Start of the retry horizon. Null before the first attempt. Enabling the trigger resets it: to null or, for an event
   * in flight, to the time of enabling.
   */
  readonly firstAttemptAt: Date | null;
  /** When the event is due or, while it is leased, when the lease expires; 0 for a test. */
  readonly dueAt: number;
}

/** An event with its latest lease, which may have expired. */
export interface LeasedEvent extends QueuedEvent, WorkClaim {}

/** What a claim found out about a due trigger. */
export interface ExaminedTrigger {
  readonly trigger: Pick<DueTrigger, "id" | "version">;
  /** The unexpired leases. */
  readonly kept: DueTrigger["leases"];
  /** The heads to lease. */
  readonly granted: readonly QueuedEvent[];
  /** When the trigger's next head that is not leased is due; 0 for a test; null if there is none. */
  readonly nextAt: number | null;
}

/** Leases for one attempt each. */
export interface NewLeases {
  readonly token: string;
  readonly claimedBy: string;
  /** The database's time by which the triggers were examined. */
  readonly decidedAtMs: number;
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
  /** Null once the event is settled, and while it waits for an earlier event of its certificate. */
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

/** Up to which number the waiting events of all triggers are counted: each scrape of the metrics counts them. */
export const totalWaitingCountMax = 100_000;

/** The load of all triggers of the installation. Waiting events of disabled triggers do not count. */
export interface TriggerLoad {
  /** Counted up to {@link totalWaitingCountMax}. */
  readonly waitingCount: number;
  /**
   * When the oldest waiting event of an enabled trigger occurred, or the oldest of those counted if many events of
   * disabled triggers are older; undefined if no such event exists.
   */
  readonly oldestAt: Date | undefined;
  readonly disabledCount: number;
}

/**
 * The queue of events for triggers. Events are added in the transaction of the certificate's change. For each trigger
 * and certificate, the oldest waiting event is the head; only heads are due. All due times are the database's, so that
 * all replicas agree on them. `timeLimitMs` is how long the caller of a method waits, in milliseconds. Methods throw
 * ServiceError `unavailable` when the database is unavailable or the time limit has passed.
 */
export interface TriggerQueue {
  /**
   * Gives the events that were added since the last call their places, and makes the triggers of new heads due. A place
   * that a crash has left open is given by the next call.
   */
  admit(timeLimitMs: number): Promise<void>;
  /** Returns at most `countMax` triggers that are due. */
  due(countMax: number, timeLimitMs: number): Promise<DueTriggers>;
  /** Returns the trigger's heads, the one first that was due first, without those that have one of the given leases. */
  heads(
    trigger: Pick<DueTrigger, "id">,
    query: { readonly except: DueTrigger["leases"]; readonly countMax: number; readonly timeLimitMs: number },
  ): Promise<QueuedEvent[]>;
  /**
   * Leases heads and determines when their triggers are due next, unless the trigger or the head has changed since it
   * was read.
   *
   * @returns the ids in the queue of the leased events
   */
  lease(
    examined: readonly ExaminedTrigger[],
    leases: NewLeases,
    timeLimitMs: number,
  ): Promise<ReadonlySet<QueuedEvent["id"]>>;
  /** Returns the events of the given leases that are the latest ones of their events, in order, and their triggers. */
  leased<Lease extends WorkClaim>(leases: readonly Lease[]): Promise<LeasedEvents<Lease>>;
  /**
   * Records results. Those of lost leases have no effect. Settling a head makes its certificate's next event the head.
   *
   * @param ended leases without a result to record: an earlier call may have recorded it and failed to remove the lease
   * @param decidedAt the database's time by which the next attempts were decided
   */
  record(triggers: readonly TriggerResults[], ended: readonly WorkClaim[], decidedAt: Date): Promise<void>;
  /** Adds a test, which is due at once. */
  addTest(test: NewTest): Promise<void>;
  readLog(query: TriggerLogQuery, countMax: number): Promise<LoggedTriggerDelivery[]>;
  load(): Promise<TriggerLoad>;
}

/** Events by lease, the triggers that still exist by id, and the database's time. */
export interface LeasedEvents<Lease extends WorkClaim> {
  readonly events: ReadonlyMap<Lease, LeasedEvent>;
  readonly triggers: ReadonlyMap<string, TriggerHealth>;
  readonly now: Date;
}

/** How well a trigger's receiver works. */
export interface TriggerHealth {
  readonly failures: number;
  readonly lastDeliveredAt: Date | null;
}

/** The results of a trigger's attempts. */
export interface TriggerResults {
  readonly triggerId: string;
  readonly events: readonly EventResult[];
  /** `delivered`: at least one event was delivered. Undefined if no result says anything about the receiver. */
  readonly health: TriggerHealthChange | undefined;
}

/** The result of an attempt, and what follows. */
export interface EventResult {
  readonly event: LeasedEvent;
  readonly outcome: DeliveryOutcome;
  /** The state in which the event is settled, or the time of the next attempt. */
  readonly next: Exclude<DeliveryState, "waiting"> | Date;
}

/** Changes a trigger's health. */
interface TriggerHealthChange {
  /** Whether an event was delivered. Then failures before the last delivery do not count. */
  readonly isDelivered: boolean;
  /** Number of failed attempts, after the last delivery if there was one. */
  readonly failures: number;
  /** How long the trigger is paused, in milliseconds; 0 if it is not. */
  readonly pauseMs: number;
  /** Whether the receiver has recovered: the trigger's heads are due at once. */
  readonly hasRecovered: boolean;
}

/** A test to queue. */
export type NewTest = Pick<QueuedEvent, "eventId" | "triggerId" | "storeId" | "certificateId" | "at" | "event"> & {
  readonly type: number;
};
