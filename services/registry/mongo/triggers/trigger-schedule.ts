import type { Document } from "mongodb";
import { triggerConcurrencyMax } from "../../triggers/claim-trigger-deliveries.ts";
import { testsDueAt } from "../documents/trigger-documents.ts";
import { addMs, type DatabaseTime, toMs } from "../driver/database-time.ts";

// A claim compares due times with its replica's knowledge of the database's time, which is late by at most the round
// trip of a heartbeat.
const lateMs = 1_000;

/**
 * Returns the due time of an event that is due at once, by the clock of every replica; an expression. With the
 * database's time itself, a claim that follows at once would not find the event, which would wait for the next poll.
 */
export function dueAtOnce(databaseTime: DatabaseTime): Document {
  return addMs(databaseTime(), -lateMs);
}

/**
 * Returns the stages of an update of a trigger's document that change fields of its queue, and then determine when the
 * trigger is due: at its next head's due time if it has a slot for it and is not paused, and when a lease expires.
 *
 * @param fields expressions
 * @param decidedAtMs the database's time by which a replica computed times among the fields, or those of heads. If the
 * clock was set back since, they lie ahead, which `timedAt` then shows (follow-clock.ts).
 */
export function reschedule(
  fields: Document,
  databaseTime: DatabaseTime,
  decidedAtMs: number | null = null,
): Document[] {
  const now = toMs(databaseTime());
  const slots = { $cond: [{ $eq: ["$failures", 0] }, triggerConcurrencyMax, 1] };
  // `$max` and `$min` ignore null.
  const hasSlot = { $lt: [{ $size: "$leases" }, slots] };
  const atNext = {
    $cond: [{ $eq: ["$nextAt", testsDueAt] }, dueAtOnce(databaseTime), { $max: ["$nextAt", "$pausedUntil"] }],
  };
  const ready = { $cond: [{ $and: [hasSlot, { $ne: ["$nextAt", null] }] }, atNext, null] };
  // Not every supported server reads an array's items by the path of their field.
  const ends = { $map: { input: "$leases", in: "$$this.until" } };
  const dueAt = { $min: [{ $min: ends }, ready] };
  const isEnabled = { $eq: [{ $type: "$disabled" }, "null"] };
  return [
    { $set: { ...fields, timedAt: { $max: ["$timedAt", now, decidedAtMs] }, version: { $add: ["$version", 1] } } },
    { $set: { dueAt: { $cond: [isEnabled, dueAt, null] } } },
  ];
}
