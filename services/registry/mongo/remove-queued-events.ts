import type { QueueKind } from "../persons/personal-data.ts";
import type { Collections } from "./collections.ts";
import { afterPosition, encodePosition } from "./scan-position.ts";
import { operationTimeLimitMs } from "./time-limits.ts";

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
 * @returns the number of matching messages, and the position of the next page, which is undefined after the last page
 */
export async function removeQueuedEvents(
  { triggerDeliveries, automationOutbox }: Pick<Collections, "triggerDeliveries" | "automationOutbox">,
  kind: QueueKind,
  store: string,
  { position, matches, apply }: RemoveOptions,
): Promise<{ count: number; next: string | undefined }> {
  const place = { store, ...afterPosition(["at", "_id"], position) };
  const found =
    kind === "triggerEvents"
      ? await triggerDeliveries
          .find({ ...place, state: "waiting" }, options)
          .sort({ at: 1, _id: 1 })
          .limit(pageSize)
          .toArray()
      : await automationOutbox.find(place, options).sort({ at: 1, _id: 1 }).limit(pageSize).toArray();
  const ids = found.flatMap(({ _id, event }) => (event !== undefined && matches(event.value()) ? _id : []));
  const last = found.at(-1);
  const next = last && found.length === pageSize ? encodePosition([last.at, last._id]) : undefined;
  if (!apply || ids.length === 0) return { count: ids.length, next };
  const ofThese = { _id: { $in: ids } };
  if (kind === "automationEvents") await automationOutbox.deleteMany(ofThese, options);
  else {
    const settled = { state: "skipped" as const, nextAttemptAt: null, lease: null };
    const lastAttempt = { ...erased, at: new Date() };
    const update = { $set: { ...settled, lastAttempt }, $unset: { event: "" as const } };
    await triggerDeliveries.updateMany({ ...ofThese, state: "waiting" }, update, options);
  }
  return { count: ids.length, next };
}
