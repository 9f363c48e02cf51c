import type { Filter, FindCursor } from "mongodb";
import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import { dayMs } from "#shared/time/day.ts";
import { outcomeKinds } from "../../deliveries/delivery.ts";
import {
  type CountedDays,
  type CountedEvents,
  type DeliveryLog,
  type DeliveryLogQuery,
  type EventCounts,
  eventPrefix,
  type LoggedDelivery,
  type Period,
} from "../../deliveries/delivery-log.ts";
import type { Collections } from "../documents/collections.ts";
import type { DeliveryDocument } from "../documents/documents.ts";
import { recordedOutcomeOf } from "../documents/outcome-documents.ts";
import { databaseCall } from "../driver/database-error.ts";
import { toMs } from "../driver/database-time.ts";
import { beyond } from "../driver/scan-position.ts";
import { atMost, limited } from "../driver/time-limits.ts";

/** The ids of events, which those of manual sends are not among. */
const idOfEvent = { $gte: eventPrefix, $lt: `${eventPrefix}~` };
// In order of time. A stand-in for MongoDB finds no index for several ranges: reading all deliveries instead took three
// times as long.
const logIndex = "log";
// Without UNSPECIFIED, which no delivery has: MongoDB sorts by an index only up to 200 combinations of values, and the
// ten outcomes with all types make 180, because null stands for two values.
const allTypes = Object.values(EventType).filter((type) => typeof type === "number" && type !== EventType.UNSPECIFIED);

interface CountedGroup {
  readonly type: number;
  /** Absent while the delivery is in flight. */
  readonly kind?: unknown;
  readonly day: number;
}

/** Implements DeliveryLog with the documents that the claims insert; a TTL index removes them. */
export class MongoDeliveryLog implements DeliveryLog {
  readonly #deliveries: Collections["deliveries"];

  constructor(deliveries: Collections["deliveries"]) {
    this.#deliveries = deliveries;
  }

  read(query: DeliveryLogQuery, countMax: number): Promise<LoggedDelivery[]> {
    return databaseCall(() => logCursor(this.#deliveries, query, countMax).map(deliveryOf).toArray());
  }

  async countDays({ storeId, types, since, dayCount, countMax, timeLimitMs }: CountedDays) {
    const until = new Date(since.getTime() + dayCount * dayMs);
    // A number, because stand-ins convert a constant date again for each delivery: that took half of the time.
    const day = { $floor: { $divide: [{ $subtract: [toMs("$claimedAt"), since.getTime()] }, dayMs] } };
    const found = await databaseCall(() =>
      this.#deliveries
        .aggregate<{ readonly _id: CountedGroup; readonly count: number }>(
          [
            // Only what the index contains, so that the limit bounds the scan: types and outcomes are selected below.
            { $match: eventsFilter(storeId, { since, until }) },
            { $limit: countMax + 1 },
            { $group: { _id: { type: "$type", kind: "$outcome.kind", day }, count: { $sum: 1 } } },
          ],
          { ...atMost(timeLimitMs), hint: logIndex },
        )
        .toArray(),
    );
    if (found.reduce((sum, { count }) => sum + count, 0) > countMax) return undefined;
    const settledKinds = new Set<unknown>(outcomeKinds);
    return types.map((type) => {
      const counts = Array.from({ length: dayCount }, () => 0);
      for (const { _id, count } of found)
        if (_id.type === type && settledKinds.has(_id.kind)) counts[_id.day] = (counts[_id.day] ?? 0) + count;
      return counts;
    });
  }

  async countEach(
    storeId: string,
    selections: readonly CountedEvents[],
    countMax: number,
    timeLimitMs?: number,
  ): Promise<readonly number[]> {
    const stages = selections.map(({ type, period }, index) => [
      { $match: settledFilter(storeId, type, period) },
      { $limit: countMax },
      { $group: { _id: { $literal: index }, count: { $sum: 1 } } },
    ]);
    const [first = [], ...others] = stages;
    // One command, so that it takes one connection of those that pages of the list need.
    const found = await databaseCall(() =>
      this.#deliveries
        .aggregate<{ readonly _id: number; readonly count: number }>(
          [
            ...first,
            ...others.map((pipeline) => ({ $unionWith: { coll: this.#deliveries.collectionName, pipeline } })),
          ],
          atMost(timeLimitMs),
        )
        .toArray(),
    );
    const counts = new Map(found.map(({ _id, count }) => [_id, count]));
    return selections.map((_, index) => counts.get(index) ?? 0);
  }

  countEvents(query: DeliveryLogQuery, countMax: number): Promise<EventCounts> {
    return databaseCall(async () => {
      const found = await logCursor(this.#deliveries, query, countMax + 1)
        .project<Pick<DeliveryDocument, "type" | "claimedAt">>({ _id: 0, type: 1, claimedAt: 1 })
        .toArray();
      const events = found.slice(0, countMax);
      const times = events.map(({ claimedAt }) => claimedAt).toSorted((one, other) => one.getTime() - other.getTime());
      return {
        counts: allTypes
          .map((type) => ({ type, count: events.filter((event) => event.type === type).length }))
          .filter(({ count }) => count > 0),
        first: times[0],
        last: times.at(-1),
        isPartial: found.length > countMax,
      };
    });
  }
}

/** Returns the filter for the deliveries of a store's events; the index `log` suffices. */
function eventsFilter(storeId: string, { since, until }: Period): Filter<DeliveryDocument> {
  return { store: storeId, claimedAt: { $gte: since, $lt: until }, _id: idOfEvent };
}

/** Returns the filter for the settled deliveries of a store's events of a type; the index `log_by_fields` suffices. */
function settledFilter(storeId: string, type: number, period: Period): Filter<DeliveryDocument> {
  return { ...eventsFilter(storeId, period), "outcome.kind": { $in: [...outcomeKinds] }, type };
}

/** Returns the cursor for a page of the log. */
export function logCursor(
  deliveries: Collections["deliveries"],
  query: DeliveryLogQuery,
  countMax: number,
): FindCursor<DeliveryDocument> {
  const direction = query.isOldestFirst ? 1 : -1;
  return deliveries.find(filterOf(query), limited).sort({ claimedAt: direction, _id: direction }).limit(countMax);
}

function filterOf(query: DeliveryLogQuery): Filter<DeliveryDocument> {
  const { storeId, eventId, certificateId, type, withoutResent, isRepeatable = false } = query;
  const kinds = query.kinds ?? (isRepeatable ? outcomeKinds : undefined);
  // With all values of these fields listed, the index can sort the entries. A value that only a later version knows is
  // then left out.
  const selective = {
    "outcome.kind": { $in: [...(kinds ?? [null, ...outcomeKinds])] },
    type: { $in: type === undefined ? allTypes : [type] },
    // An absent field is null to a query.
    resent: { $in: withoutResent ? [null] : [null, true] },
  };
  return {
    store: storeId,
    ...(eventId === undefined ? {} : { _id: eventId }),
    ...(certificateId === undefined ? {} : { certificate: certificateId }),
    ...((kinds ?? type) !== undefined && selective),
    ...placesOf(query),
  };
}

/** Returns the filter of the query's times and of its position, and of events. */
function placesOf({ since, until, after, isOldestFirst, isRepeatable }: DeliveryLogQuery): Filter<DeliveryDocument> {
  const bounds: Filter<DeliveryDocument>[] = [
    ...(since ? [{ claimedAt: { $gte: since } }] : []),
    ...(until ? [{ claimedAt: { $lt: until } }] : []),
    ...(isRepeatable ? [{ _id: idOfEvent }] : []),
    ...(after ? [beyond(["claimedAt", "_id"], [after.at, after.id], isOldestFirst ? "$gt" : "$lt")] : []),
  ];
  return bounds.length === 0 ? {} : { $and: bounds };
}

function deliveryOf(document: DeliveryDocument): LoggedDelivery {
  const { _id, certificate, type, claimedAt, requestedBy = "", resentAs, outcome } = document;
  return {
    eventId: _id,
    certificateId: certificate,
    type,
    claimedAt,
    requestedBy,
    resentAs,
    outcome: outcome && recordedOutcomeOf(outcome),
  };
}
