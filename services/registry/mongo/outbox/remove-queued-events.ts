import type { MongoClient } from "mongodb";
import { reason } from "#shared/reasons/reason.ts";
import type { UnsentOutcome } from "../../deliveries/claim-state.ts";
import type { PersonalData, QueueKind, QueuePage } from "../../persons/personal-data.ts";
import type { Collections } from "../documents/collections.ts";
import type { DatabaseTime } from "../driver/database-time.ts";
import type { RetryOptions } from "../driver/run-transaction.ts";
import { afterPosition, positionAfter } from "../driver/scan-position.ts";
import { limited } from "../driver/time-limits.ts";
import { skipEvents, skippable } from "../triggers/skip-events.ts";

/** What {@link removeQueuedEvents} uses. */
export interface QueuedEventsDeps {
  readonly client: MongoClient;
  readonly collections: Pick<Collections, "triggerDeliveries" | "automationOutbox" | "listenMessages">;
  /** See {@link RetryOptions.onSession}. */
  readonly onSession?: RetryOptions["onSession"];
  /** Computes whether a lease has expired. Default `$$NOW`. */
  readonly databaseTime?: DatabaseTime;
}

const pageSize = 200;

/** The outcome of a trigger's event after its message was removed. */
const erased: UnsentOutcome = { kind: "skipped", reason: reason("erased_before_delivery") };

/**
 * Removes the matching messages from a page of a store's queued events.
 *
 * @param kind the queue to search: the events queued for triggers, the outbox of automation events, or the copies for
 *   listeners, which are few enough for one page
 * @returns the number of messages to remove; the number of those in flight, which stay in the queue; and the position
 *   of the next page, which is undefined after the last page
 */
export async function removeQueuedEvents(
  {
    client,
    collections: { triggerDeliveries, automationOutbox, listenMessages },
    onSession,
    databaseTime = () => "$$NOW",
  }: QueuedEventsDeps,
  kind: QueueKind,
  store: string,
  { position, matches, apply }: QueuePage,
): ReturnType<PersonalData["removeQueued"]> {
  if (kind === "listen_messages") {
    const kept = await listenMessages.find({ store }, limited).toArray();
    // By number, because a newer message may have replaced one of these in its place.
    const numbers = kept.flatMap(({ number, event }) => (matches(event.value()) ? [number] : []));
    if (apply && numbers.length > 0) await listenMessages.deleteMany({ store, number: { $in: numbers } }, limited);
    return { count: numbers.length, waitingCount: 0, next: undefined };
  }
  const place = { store, ...afterPosition(["at", "_id"], position) };
  const found =
    kind === "trigger_events"
      ? await triggerDeliveries
          .find({ ...place, state: "waiting" }, limited)
          .sort({ at: 1, _id: 1 })
          .limit(pageSize)
          .toArray()
      : await automationOutbox.find(place, limited).sort({ at: 1, _id: 1 }).limit(pageSize).toArray();
  const ids = found.flatMap(({ _id, event }) => (event !== undefined && matches(event.value()) ? [_id] : []));
  const next = positionAfter<{ readonly at: Date; readonly _id: string }>(found, pageSize, ({ at, _id }) => [at, _id]);
  if (ids.length === 0) return { count: 0, waitingCount: 0, next };
  if (kind === "automation_events") {
    if (apply) await automationOutbox.deleteMany({ _id: { $in: ids } }, limited);
    return { count: ids.length, waitingCount: 0, next };
  }
  const deps = { client, triggerDeliveries, databaseTime, onSession };
  const count = apply
    ? await skipEvents(deps, ids, erased)
    : await triggerDeliveries.countDocuments(skippable(ids, databaseTime), limited);
  return { count, waitingCount: ids.length - count, next };
}
