import { dayMs } from "#shared/time/day.ts";
import { type LogPlace, pageOf } from "../values/page-token.ts";
import { type DeliveryOutcome, type OutcomeKind, outcomeKinds } from "./delivery.ts";

/** The outcomes of deliveries that failed: the receiver has not accepted the message, and should have got it. */
export const failedKinds: readonly OutcomeKind[] = outcomeKinds.filter(
  (kind) => kind !== "delivered" && kind !== "skipped",
);

/** Filters and position for a page of a store's delivery log. */
export interface DeliveryLogQuery {
  readonly storeId: string;
  /** Id of an event or a manual send; undefined selects all of them. */
  readonly eventId: string | undefined;
  /** Undefined selects the deliveries of all certificates. */
  readonly certificateId: string | undefined;
  /** Undefined selects deliveries with any outcome, and deliveries in flight. */
  readonly kinds: readonly OutcomeKind[] | undefined;
  /** An events.v1.EventType; undefined selects all of them. */
  readonly type: number | undefined;
  /**
   * Whether events are left out that were sent again, unless that redelivery ended without being delivered. Default:
   * not; only with `kinds` or `type`.
   */
  readonly withoutResent?: boolean;
  /** Earliest claim time, inclusive; undefined means no limit. */
  readonly since: Date | undefined;
  /** Latest claim time, exclusive; undefined means no limit. */
  readonly until: Date | undefined;
  /** The page starts after this place, a claim time and an event id; undefined selects the first page. */
  readonly after: LogPlace | undefined;
  /** Whether only deliveries that can be sent again are selected: of events, not manual sends, with an outcome. */
  readonly isRepeatable?: boolean;
  /** Whether the log is read oldest first. Default: newest first. */
  readonly isOldestFirst?: boolean;
}

/** A period of claim times. */
export interface Period {
  readonly since: Date;
  /** Exclusive. */
  readonly until: Date;
}

/** Which events are counted. */
export interface CountedEvents {
  /** An events.v1.EventType. */
  readonly type: number;
  readonly period: Period;
}

/** Which events are counted for each day, and how many at most. */
export interface CountedDays {
  readonly storeId: string;
  /** Each an events.v1.EventType. */
  readonly types: readonly number[];
  /** Start of the first day. */
  readonly since: Date;
  readonly dayCount: number;
  /** How many deliveries of events are read, whatever their types and outcomes. */
  readonly countMax: number;
  /** See {@link CountedWeek.remainingMs}. */
  readonly timeLimitMs?: number;
}

/** Which events are counted for a week. */
interface CountedWeek extends Pick<CountedDays, "storeId" | "types" | "since"> {
  /**
   * Returns how long the caller still waits, in milliseconds; throws when it no longer does, which ends the count.
   * Default: for ever.
   */
  readonly remainingMs?: () => number;
}

/** A count of deliveries; see {@link DeliveryLog.countEvents}. */
export interface EventCounts {
  /** The number of deliveries of each type, an events.v1.EventType. */
  readonly counts: readonly { readonly type: number; readonly count: number }[];
  /** The earliest and the latest claim time of these deliveries; undefined if there is none. */
  readonly first: Date | undefined;
  readonly last: Date | undefined;
  /** Whether more deliveries match than were counted. */
  readonly isPartial: boolean;
}

/** The stored outcome of a delivery. */
export interface RecordedOutcome extends Omit<DeliveryOutcome, "eventId" | "kind"> {
  /** Undefined for a kind that a later version of this service has stored. */
  readonly kind: OutcomeKind | undefined;
  readonly settledAt: Date;
}

/** An entry of the delivery log. */
export interface LoggedDelivery {
  readonly eventId: string;
  readonly certificateId: string;
  /** An events.v1.EventType. */
  readonly type: number;
  readonly claimedAt: Date;
  /** The actor who requested a manual send; the empty string for the delivery of an event. */
  readonly requestedBy: string;
  /** The latest redelivery of the event that is in progress or was delivered; undefined if there is none. */
  readonly resentAs: string | undefined;
  /** Null while the delivery is in flight. */
  readonly outcome: RecordedOutcome | null;
}

/** The delivery log. Throws ServiceError `unavailable` when the database is unavailable. */
export interface DeliveryLog {
  /** Returns at most `countMax` deliveries, sorted by claim time, then by event id. */
  read(query: DeliveryLogQuery, countMax: number): Promise<LoggedDelivery[]>;
  /** Counts the first `countMax` deliveries that match. */
  countEvents(query: DeliveryLogQuery, countMax: number): Promise<EventCounts>;
  /**
   * Counts a store's settled deliveries of events, without manual sends, for each type and day, with one scan of the
   * index; undefined if the store has more than `countMax` deliveries of events of any type in these days.
   */
  countDays(days: CountedDays): Promise<readonly (readonly number[])[] | undefined>;
  /** Counts the same for each selection, each with a scan that ends at `countMax`. */
  countEach(
    storeId: string,
    selections: readonly CountedEvents[],
    countMax: number,
    timeLimitMs?: number,
  ): Promise<readonly number[]>;
}

// The week of a store with more events is counted by up to 42 scans, one for each type and day, that end at `dailyMax`.
const weeklyMax = 60_000;
const dailyMax = 1_000;

/**
 * Counts a store's events of each type on seven days from `since` on.
 *
 * @param countMax how many events, of any type, the first scan reads. Default: 60,000
 * @returns the counts; `isPartial` if the store has more events, so that each count ends at 1,000
 */
export async function countWeek(
  log: DeliveryLog,
  { storeId, types, since, remainingMs = () => Number.POSITIVE_INFINITY }: CountedWeek,
  countMax = weeklyMax,
) {
  const days = { storeId, types, since, dayCount: 7, countMax };
  const exact = await log.countDays({ ...days, timeLimitMs: remainingMs() });
  const weeks = exact ?? (await countEachDay(log, days, remainingMs()));
  return {
    weeks: types.map((type, index) => ({ type, counts: [...(weeks[index] ?? [])] })),
    isPartial: exact === undefined,
  };
}

async function countEachDay(log: DeliveryLog, { storeId, types, since }: CountedDays, timeLimitMs: number) {
  const days = Array.from({ length: 7 }, (_, day) => {
    const startMs = since.getTime() + day * dayMs;
    return { since: new Date(startMs), until: new Date(startMs + dayMs) };
  });
  const selections = types.flatMap((type) => days.map((period) => ({ type, period })));
  const counts = await log.countEach(storeId, selections, dailyMax, timeLimitMs);
  return types.map((_, index) => counts.slice(index * days.length, (index + 1) * days.length));
}

/** The prefix of the ids of events, which those of manual sends do not have. */
export const eventPrefix = "evt_";

/** The prefix of the ids of redeliveries. */
export const redeliveryPrefix = "agn_";

/** Reads a page of the delivery log, see {@link pageOf}. */
export async function readLogPage(log: DeliveryLog, query: DeliveryLogQuery, countMax: number) {
  const found = await log.read(query, countMax + 1);
  return pageOf(found, countMax, placeOf);
}

/** Returns the place of a delivery in the log. */
export function placeOf({ claimedAt, eventId }: LoggedDelivery): LogPlace {
  return { at: claimedAt, id: eventId };
}
