import type { Filter, FindCursor } from "mongodb";
import { outcomeKinds, phasesOf } from "../../deliveries/delivery.ts";
import type { DeliveryLog, DeliveryLogQuery, LoggedDelivery } from "../../deliveries/delivery-log.ts";
import type { Collections } from "../documents/collections.ts";
import type { DeliveryDocument, DeliveryOutcomeDocument } from "../documents/documents.ts";
import { databaseCall } from "../driver/database-error.ts";
import { operationTimeLimitMs } from "../driver/time-limits.ts";

const options = { maxTimeMS: operationTimeLimitMs };

/** Implements DeliveryLog with the documents that the claims insert; a TTL index removes them. */
export class MongoDeliveryLog implements DeliveryLog {
  readonly #deliveries: Collections["deliveries"];

  constructor(deliveries: Collections["deliveries"]) {
    this.#deliveries = deliveries;
  }

  read(query: DeliveryLogQuery, countMax: number): Promise<LoggedDelivery[]> {
    return databaseCall(() => logCursor(this.#deliveries, query, countMax).map(deliveryOf).toArray());
  }
}

/** Returns the cursor for a page of the log, newest delivery first. */
export function logCursor(
  deliveries: Collections["deliveries"],
  query: DeliveryLogQuery,
  countMax: number,
): FindCursor<DeliveryDocument> {
  return deliveries.find(filterOf(query), options).sort({ claimedAt: -1, _id: -1 }).limit(countMax);
}

function filterOf({
  storeId,
  eventId,
  certificateId,
  kind,
  since,
  until,
  after,
}: DeliveryLogQuery): Filter<DeliveryDocument> {
  const claimedAt = {
    ...(since && { $gte: since }),
    ...(until && { $lt: until }),
    // Implied by the $or below; bounds the index scan.
    ...(after && { $lte: after.claimedAt }),
  };
  return {
    store: storeId,
    ...(eventId === undefined ? {} : { _id: eventId }),
    ...(certificateId === undefined ? {} : { certificate: certificateId }),
    ...(kind && { "outcome.kind": kind }),
    ...(Object.keys(claimedAt).length > 0 && { claimedAt }),
    ...(after && {
      $or: [{ claimedAt: { $lt: after.claimedAt } }, { claimedAt: after.claimedAt, _id: { $lt: after.eventId } }],
    }),
  };
}

function deliveryOf(document: DeliveryDocument): LoggedDelivery {
  const { _id, certificate, type, claimedAt, requestedBy = "", outcome } = document;
  return {
    eventId: _id,
    certificateId: certificate,
    type,
    claimedAt,
    requestedBy,
    outcome: outcome === null ? null : outcomeOf(outcome),
  };
}

function outcomeOf(document: DeliveryOutcomeDocument): NonNullable<LoggedDelivery["outcome"]> {
  const { kind, phases, at, remoteAddress = "", replyExcerpt = "", ...outcome } = document;
  return {
    ...outcome,
    kind: outcomeKinds.find((known) => known === kind),
    phases: phasesOf(phases),
    remoteAddress,
    replyExcerpt,
    settledAt: at,
  };
}
