import type { Filter } from "mongodb";
import { phasesOf } from "../deliveries/attempt-phases.ts";
import { outcomeKinds } from "../deliveries/delivery.ts";
import type { DeliveryLog, DeliveryLogQuery, LoggedDelivery } from "../deliveries/delivery-log.ts";
import type { Collections } from "./collections.ts";
import { databaseError } from "./database-error.ts";
import type { DeliveryDocument, DeliveryOutcomeDocument } from "./documents.ts";

const options = { maxTimeMS: 4_000 };

/** The log of deliveries in MongoDB: the records that the claims made, which the database removes after 30 days. */
export class MongoDeliveryLog implements DeliveryLog {
  readonly #deliveries: Collections["deliveries"];

  constructor(deliveries: Collections["deliveries"]) {
    this.#deliveries = deliveries;
  }

  async read(query: DeliveryLogQuery, countMax: number): Promise<LoggedDelivery[]> {
    try {
      const documents = await this.#deliveries
        .find(filterOf(query), options)
        .sort({ claimedAt: -1, _id: -1 })
        .limit(countMax)
        .toArray();
      return documents.map(deliveryOf);
    } catch (error) {
      throw databaseError(error);
    }
  }
}

function filterOf({
  storeId,
  eventId,
  kind,
  since,
  until,
  after,
}: DeliveryLogQuery): Filter<DeliveryDocument> {
  const claimedAt = {
    ...(since && { $gte: since }),
    ...(until && { $lt: until }),
    // Said beside $or, so that the index is read from there on.
    ...(after && { $lte: after.claimedAt }),
  };
  return {
    store: storeId,
    ...(eventId === undefined ? {} : { _id: eventId }),
    ...(kind && { "outcome.kind": kind }),
    ...(Object.keys(claimedAt).length > 0 && { claimedAt }),
    ...(after && {
      $or: [
        { claimedAt: { $lt: after.claimedAt } },
        { claimedAt: after.claimedAt, _id: { $lt: after.eventId } },
      ],
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
  const {
    kind,
    httpStatus,
    durationMs,
    reason,
    phases,
    remoteAddress = "",
    replyExcerpt = "",
    at,
  } = document;
  return {
    kind: outcomeKinds.find((known) => known === kind),
    httpStatus,
    durationMs,
    reason,
    phases: phasesOf(phases),
    remoteAddress,
    replyExcerpt,
    settledAt: at,
  };
}
