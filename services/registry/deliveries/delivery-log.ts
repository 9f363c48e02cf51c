import type { DeliveryOutcome, OutcomeKind } from "./delivery.ts";
import type { LogPosition } from "./log-position.ts";

/** How long a delivery stays in the log, from its claim on. */
export const logLifeMs = 30 * 86_400_000;

/** Which deliveries of a store to show. */
export interface DeliveryLogQuery {
  readonly storeId: string;
  /** Only this event's; undefined: all. */
  readonly eventId: string | undefined;
  /** Only those that ended so; undefined: all, those under way too. */
  readonly kind: OutcomeKind | undefined;
  /** Only those claimed at this time or later; undefined: from the oldest. */
  readonly since: Date | undefined;
  /** Only those claimed before this time; undefined: up to the newest. */
  readonly until: Date | undefined;
  /** Only those that stand behind this one; undefined: from the first. */
  readonly after: LogPosition | undefined;
}

/** What became of an event, as it was recorded. */
export interface RecordedOutcome extends Omit<DeliveryOutcome, "eventId" | "kind"> {
  /** Undefined for a kind that a later version of this service recorded. */
  readonly kind: OutcomeKind | undefined;
  readonly settledAt: Date;
}

/** A delivery in the log. */
export interface LoggedDelivery {
  readonly eventId: string;
  readonly certificateId: string;
  /** An events.v1.EventType. */
  readonly type: number;
  readonly claimedAt: Date;
  /** Who wished it to be sent; empty for what happened. */
  readonly requestedBy: string;
  /** Null while it is under way. */
  readonly outcome: RecordedOutcome | null;
}

/** The log of deliveries. Throws ServiceError `unavailable` when the database is away. */
export interface DeliveryLog {
  /** The newest first; those of one claim by their event's id, the greatest first. */
  read(query: DeliveryLogQuery, countMax: number): Promise<LoggedDelivery[]>;
}

/** A page of the log. */
export interface DeliveryLogPage {
  readonly deliveries: readonly LoggedDelivery[];
  /** Where the next page begins; undefined when there is none. */
  readonly next: LogPosition | undefined;
}

/** Reads a page of the log. */
export async function readLogPage(
  log: DeliveryLog,
  query: DeliveryLogQuery,
  countMax: number,
): Promise<DeliveryLogPage> {
  // One more tells whether there is a next page.
  const found = await log.read(query, countMax + 1);
  const deliveries = found.slice(0, countMax);
  return { deliveries, next: found.length > countMax ? deliveries.at(-1) : undefined };
}
