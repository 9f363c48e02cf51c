import type { Collection } from "mongodb";
import { deliveryStates, type LoggedTriggerDelivery, type TriggerLogQuery } from "../../triggers/trigger-queue.ts";
import { recordedOutcomeOf } from "../documents/outcome-documents.ts";
import { queuedEventOf, type TriggerDeliveryDocument } from "../documents/trigger-documents.ts";
import { beyond } from "../driver/scan-position.ts";
import { limited } from "../driver/time-limits.ts";

/** Reads a page of a store's trigger log, newest first. The log includes waiting events. */
export function readTriggerLog(
  entries: Collection<TriggerDeliveryDocument>,
  { storeId, triggerId, state, after }: TriggerLogQuery,
  countMax: number,
): Promise<LoggedTriggerDelivery[]> {
  const filter = {
    store: storeId,
    ...(triggerId === undefined ? {} : { trigger: triggerId }),
    ...(state && { state }),
    ...(after && beyond(["at", "_id"], [after.at, after.id], "$lt")),
  };
  return entries
    .find(filter, { ...limited, projection: { event: 0 } })
    .sort({ at: -1, _id: -1 })
    .limit(countMax)
    .map((document) => loggedOf(document as TriggerDeliveryDocument))
    .toArray();
}

function loggedOf(document: TriggerDeliveryDocument): LoggedTriggerDelivery {
  const { eventId, triggerId, certificateId, at, attempts } = queuedEventOf(document);
  const { type, state, dueAt, lastAttempt } = document;
  return {
    eventId,
    triggerId,
    certificateId,
    type,
    occurredAt: at,
    attempts,
    nextAttemptAt: dueAt === undefined ? null : new Date(Math.max(dueAt.getTime(), at.getTime())),
    state: deliveryStates.find((known) => known === state),
    lastAttempt: lastAttempt && recordedOutcomeOf(lastAttempt),
  };
}
