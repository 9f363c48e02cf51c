import type { DeliveryOutcome, OutcomeKind } from "./delivery.ts";
import type { LogPosition } from "./log-position.ts";

/** Retention of the delivery log, from the claim of a delivery. */
export const logLifeMs = 30 * 86_400_000;

/** Filters and position for a page of a store's delivery log. */
export interface DeliveryLogQuery {
  readonly storeId: string;
  /** Undefined: the deliveries of all events. */
  readonly eventId: string | undefined;
  /** Undefined: deliveries with any outcome, and those in flight. */
  readonly kind: OutcomeKind | undefined;
  /** Earliest claim time, inclusive; undefined: no limit. */
  readonly since: Date | undefined;
  /** Latest claim time, exclusive; undefined: no limit. */
  readonly until: Date | undefined;
  /** Only deliveries after this position; undefined: the first page. */
  readonly after: LogPosition | undefined;
}

/** The outcome of a delivery as it is stored. */
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
  /** The operator who requested a manual send; empty for an event. */
  readonly requestedBy: string;
  /** Null while the delivery is in flight. */
  readonly outcome: RecordedOutcome | null;
}

/** The delivery log. Throws ServiceError `unavailable` when the database is unavailable. */
export interface DeliveryLog {
  /** Returns deliveries in descending order of claim time, then of event id. */
  read(query: DeliveryLogQuery, countMax: number): Promise<LoggedDelivery[]>;
}

/** A page of the delivery log. */
export interface DeliveryLogPage {
  readonly deliveries: readonly LoggedDelivery[];
  /** Position after which the next page begins; undefined on the last page. */
  readonly next: LogPosition | undefined;
}

/** Reads a page of the delivery log. @param countMax page size */
export async function readLogPage(
  log: DeliveryLog,
  query: DeliveryLogQuery,
  countMax: number,
): Promise<DeliveryLogPage> {
  // One extra entry shows whether there is a next page.
  const found = await log.read(query, countMax + 1);
  const deliveries = found.slice(0, countMax);
  return { deliveries, next: found.length > countMax ? deliveries.at(-1) : undefined };
}
