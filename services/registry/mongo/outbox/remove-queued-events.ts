import type { ClientSession, Filter, MongoClient } from "mongodb";
import { reason } from "#shared/reasons/reason.ts";
import { steadyClock } from "#shared/time/clock.ts";
import { unsentOutcome } from "../../deliveries/claim-state.ts";
import type { QueueKind } from "../../persons/personal-data.ts";
import type { Collections } from "../documents/collections.ts";
import { storedOutcome } from "../documents/outcome-documents.ts";
import { settledFields, type TriggerDeliveryDocument } from "../documents/trigger-documents.ts";
import type { DatabaseTime } from "../driver/database-time.ts";
import { narrowed } from "../driver/narrowed-filter.ts";
import { type RetryOptions, runTransaction } from "../driver/run-transaction.ts";
import { afterPosition, positionAfter } from "../driver/scan-position.ts";
import { limited } from "../driver/time-limits.ts";
import { endOf, hasEnded } from "../leases/mongo-leases.ts";
import { promoteNext } from "../triggers/promote-next.ts";

/** What {@link removeQueuedEvents} uses. */
export interface QueuedEventsDeps {
  readonly client: MongoClient;
  readonly collections: Pick<Collections, "triggerDeliveries" | "automationOutbox" | "listenMessages">;
  /** See {@link RetryOptions.onSession}. */
  readonly onSession?: RetryOptions["onSession"];
  /** Computes whether a lease has expired. Default `$$NOW`. */
  readonly databaseTime?: DatabaseTime;
}

interface RemoveOptions {
  readonly position: string | undefined;
  readonly matches: (bytes: Uint8Array) => boolean;
  /** If false, counts without writing. */
  readonly apply: boolean;
}

const pageSize = 200;

/** The outcome of a trigger's event after its message was removed. */
const erased = unsentOutcome("", { kind: "skipped", reason: reason("erased_before_delivery") });

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
  { position, matches, apply }: RemoveOptions,
): Promise<{ count: number; waitingCount: number; next: string | undefined }> {
  if (kind === "listenMessages") {
    const kept = await listenMessages.find({ store }, limited).toArray();
    // By number, because a newer message may have replaced one of these in its place.
    const numbers = kept.flatMap(({ number, event }) => (matches(event.value()) ? [number] : []));
    if (apply && numbers.length > 0) await listenMessages.deleteMany({ store, number: { $in: numbers } }, limited);
    return { count: numbers.length, waitingCount: 0, next: undefined };
  }
  const place = { store, ...afterPosition(["at", "_id"], position) };
  const found =
    kind === "triggerEvents"
      ? await triggerDeliveries
          .find({ ...place, state: "waiting" }, limited)
          .sort({ at: 1, _id: 1 })
          .limit(pageSize)
          .toArray()
      : await automationOutbox.find(place, limited).sort({ at: 1, _id: 1 }).limit(pageSize).toArray();
  const ids = found.flatMap(({ _id, event }) => (event !== undefined && matches(event.value()) ? [_id] : []));
  const next = positionAfter<{ readonly at: Date; readonly _id: string }>(found, pageSize, ({ at, _id }) => [at, _id]);
  if (ids.length === 0) return { count: 0, waitingCount: 0, next };
  if (kind === "automationEvents") {
    if (apply) await automationOutbox.deleteMany({ _id: { $in: ids } }, limited);
    return { count: ids.length, waitingCount: 0, next };
  }
  const isFree = { state: "waiting" as const, $expr: hasEnded(databaseTime) };
  const free = narrowed<TriggerDeliveryDocument>({ _id: { $in: ids } }, isFree);
  const count = apply
    ? await runTransaction(
        client,
        steadyClock,
        (session) => settleErased(triggerDeliveries, free, databaseTime, session),
        { onSession },
      )
    : await triggerDeliveries.countDocuments(free, limited);
  return { count, waitingCount: ids.length - count, next };
}

/** Settles the events that no attempt is sending, and makes their certificates' next events the heads. */
async function settleErased(
  entries: Collections["triggerDeliveries"],
  free: Filter<TriggerDeliveryDocument>,
  databaseTime: DatabaseTime,
  session: ClientSession,
): Promise<{ readonly commit: boolean; readonly value: number }> {
  const found = await entries.find(free, { session, projection: { trigger: 1, certificate: 1, dueAt: 1 } }).toArray();
  const settled = endOf(settledFields("skipped", storedOutcome(erased, new Date())));
  const ids = { _id: { $in: found.map(({ _id }) => _id) } };
  // Conflicts with a claim that has leased one of them since.
  await entries.updateMany(ids, settled, { session });
  const heads = found.filter(({ dueAt }) => dueAt !== undefined);
  await promoteNext(entries, heads, databaseTime, session);
  return { commit: true, value: found.length };
}
