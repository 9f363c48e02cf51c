import type { QueueKind } from "../../persons/personal-data.ts";
import type { Collections } from "../documents/collections.ts";
import { afterPosition, encodePosition } from "../driver/scan-position.ts";
import { operationTimeLimitMs } from "../driver/time-limits.ts";

interface RemoveOptions {
  readonly position: string | undefined;
  readonly matches: (bytes: Uint8Array) => boolean;
  /** If false, counts without writing. */
  readonly apply: boolean;
}

const options = { maxTimeMS: operationTimeLimitMs };
const pageSize = 200;

/** The outcome of a trigger's event after its message was removed. */
const erased = {
  kind: "skipped",
  reason:
    "Personal data on the certificate were erased before the message was delivered. The message will not be sent again.",
  httpStatus: 0,
  durationMs: 0,
  phases: {},
  remoteAddress: "",
  replyExcerpt: "",
};

/**
 * Removes the matching messages from a page of a store's queued events.
 *
 * @param kind the queue to search: the events queued for triggers, or the outbox of automation events
 * @returns the number of messages to remove; the number of those in flight, which stay in the queue; and the position
 *   of the next page, which is undefined after the last page
 */
export async function removeQueuedEvents(
  { triggerDeliveries, automationOutbox }: Pick<Collections, "triggerDeliveries" | "automationOutbox">,
  kind: QueueKind,
  store: string,
  { position, matches, apply }: RemoveOptions,
): Promise<{ count: number; waitingCount: number; next: string | undefined }> {
  const place = { store, ...afterPosition(["at", "_id"], position) };
  const found =
    kind === "triggerEvents"
      ? await triggerDeliveries
          .find({ ...place, state: "waiting" }, options)
          .sort({ at: 1, _id: 1 })
          .limit(pageSize)
          .toArray()
      : await automationOutbox.find(place, options).sort({ at: 1, _id: 1 }).limit(pageSize).toArray();
  const matching = found.filter(({ event }) => event !== undefined && matches(event.value()));
  const last = found.at(-1);
  const next = last && found.length === pageSize ? encodePosition([last.at, last._id]) : undefined;
  const now = new Date();
  const isInFlight = (entry: object) =>
    "lease" in entry && entry.lease !== null && "nextAttemptAt" in entry && isAfter(entry.nextAttemptAt, now);
  const ids = matching.flatMap((entry) => (isInFlight(entry) ? [] : [entry._id]));
  const result = { count: ids.length, waitingCount: matching.length - ids.length, next };
  if (!apply || ids.length === 0) return result;
  const ofThese = { _id: { $in: ids } };
  if (kind === "automationEvents") await automationOutbox.deleteMany(ofThese, options);
  else {
    const settled = { state: "skipped" as const, nextAttemptAt: null, lease: null };
    const lastAttempt = { ...erased, at: now };
    const update = { $set: { ...settled, lastAttempt }, $unset: { event: "" as const } };
    // Repeats the condition: an event may have been leased since it was read.
    const isFree = { $or: [{ lease: null }, { nextAttemptAt: { $lte: now } }] };
    await triggerDeliveries.updateMany({ ...ofThese, state: "waiting", ...isFree }, update, options);
  }
  return result;
}

function isAfter(time: unknown, now: Date): boolean {
  return time instanceof Date && time > now;
}
