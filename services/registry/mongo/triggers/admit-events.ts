import type { Collections } from "../documents/collections.ts";
import { compoundKey } from "../documents/compound-key.ts";
import { isHead, type TriggerDeliveryDocument, testsDueAt } from "../documents/trigger-documents.ts";
import { bulkDuplicates } from "../driver/bulk-duplicates.ts";
import { knowledgeLateMaxMs } from "../driver/database-clock.ts";
import { addMs, type DatabaseTime, toDate, toMs } from "../driver/database-time.ts";
import { narrowed } from "../driver/narrowed-filter.ts";
import type { ReadSnapshot } from "../driver/read-snapshot.ts";
import { atMost } from "../driver/time-limits.ts";
import { updateEach } from "../driver/write-each.ts";
import { dueAtOnce, reschedule } from "./trigger-schedule.ts";

export interface AdmitEventsDeps {
  readonly collections: Pick<Collections, "triggers" | "triggerDeliveries">;
  readonly databaseTime: DatabaseTime;
  /** Reads on one snapshot: otherwise, an event could be seen without an earlier one of its certificate. */
  readonly readSnapshot: ReadSnapshot;
}

type FreshEvent = Pick<TriggerDeliveryDocument, "_id" | "trigger" | "certificate" | "dueAt">;

const projection = { trigger: 1, certificate: 1, dueAt: 1 } as const;

/**
 * Gives a page of fresh events their places: the oldest of a trigger and certificate becomes the head unless there is
 * one, and the others are noted in the head, so that settling it makes the next one the head. Then makes the triggers
 * of new heads due.
 *
 * No event is lost between these writes: an event remains fresh until the last one, and each can be repeated. A head
 * that is settled at the same time is not noted, which leaves its followers fresh.
 *
 * @param now the database's time
 * @returns the number of events that it read
 */
export async function admitEvents(
  { collections, databaseTime, readSnapshot }: AdmitEventsDeps,
  { now, countMax, timeLimitMs }: { readonly now: number; readonly countMax: number; readonly timeLimitMs: number },
): Promise<number> {
  const { triggers, triggerDeliveries } = collections;
  const options = atMost(timeLimitMs);
  const found = await readSnapshot((snapshot) =>
    triggerDeliveries
      .find({ fresh: true }, { ...options, ...snapshot, projection })
      .sort({ at: 1 })
      .limit(countMax)
      .toArray(),
  );
  if (found.length === 0) return 0;
  const heads = new Set(await makeHeads(triggerDeliveries, lanesOf(found), databaseTime, timeLimitMs));
  const behind = lanesOf(found.filter((event) => !heads.has(event)));
  const noted = await noteFollowers(triggerDeliveries, behind, timeLimitMs);
  const headIds = Array.from(heads, ({ _id }) => _id);
  // They became heads before the clock was set back.
  if (Array.from(heads).some(({ dueAt }) => (dueAt?.getTime() ?? now) > now + knowledgeLateMaxMs)) {
    const late = { lease: { $exists: false }, dueAt: { $gt: new Date(now) } };
    await updateEach(triggerDeliveries, headIds, late, { $set: { dueAt: new Date(now) } }, options);
  }
  for (const [isTest, due] of Map.groupBy(heads, ({ dueAt }) => dueAt?.getTime() === testsDueAt)) {
    const woken = { _id: { $in: [...new Set(due.map(({ trigger }) => trigger))] }, disabled: null };
    const nextAt = { $min: ["$nextAt", isTest ? testsDueAt : dueAtOnce(databaseTime)] };
    await triggers.updateMany(woken, reschedule({ nextAt }, databaseTime), options);
  }
  const seen = { $unset: { fresh: "" as const } };
  // The clock may have been set back since, which this replica does not know yet: such a head remains fresh, so that
  // the next admission makes it due. A leased one is due at the end of its lease. Not a condition of the filter: with
  // `$or` or `$expr`, some servers examine all events instead of looking the event up.
  const isInTime = { $lte: [toMs("$dueAt"), addMs(databaseTime(), knowledgeLateMaxMs)] };
  const isSeen = { $or: [{ $gt: ["$lease", null] }, isInTime] };
  const headSeen = [{ $set: { fresh: { $cond: [isSeen, "$$REMOVE", "$fresh"] } } }];
  await updateEach(triggerDeliveries, headIds, {}, headSeen, options);
  // One that has become the head in the meantime remains fresh until its trigger is due.
  const isBehind = { dueAt: { $exists: false } };
  const notedIds = noted.map(({ _id }) => _id);
  await updateEach(triggerDeliveries, notedIds, isBehind, seen, options);
  return found.length;
}

/** Groups events by trigger and certificate. */
function lanesOf(events: readonly FreshEvent[]): FreshEvent[][] {
  return Array.from(Map.groupBy(events, ({ trigger, certificate }) => compoundKey(trigger, certificate)).values());
}

/** Makes the first event of each lane the head unless the lane has one. @returns the fresh events that are heads */
async function makeHeads(
  entries: Collections["triggerDeliveries"],
  lanes: readonly (readonly FreshEvent[])[],
  databaseTime: DatabaseTime,
  timeLimitMs: number,
): Promise<FreshEvent[]> {
  const heads = lanes.flatMap((lane) => lane.filter(({ dueAt }) => dueAt !== undefined));
  const firsts = lanes.flatMap((lane) =>
    lane[0] === undefined || lane.some(({ dueAt }) => dueAt !== undefined) ? [] : [lane[0]],
  );
  if (firsts.length === 0) return heads;
  const operations = firsts.map(({ _id }) => ({
    updateOne: {
      // Another claim may have made it the head, and leased it.
      filter: { _id, state: "waiting" as const, fresh: true as const, dueAt: { $exists: false } },
      update: [{ $set: { dueAt: toDate(dueAtOnce(databaseTime)) } }],
    },
  }));
  const { indexes } = await bulkDuplicates(entries.bulkWrite(operations, { ordered: false, ...atMost(timeLimitMs) }));
  return [...heads, ...firsts.filter((_, index) => !indexes.includes(index))];
}

/**
 * Notes in the heads of lanes that events follow them.
 *
 * @returns the events of the lanes with heads; one that was settled meanwhile leaves its lane without
 */
async function noteFollowers(
  entries: Collections["triggerDeliveries"],
  lanes: readonly (readonly FreshEvent[])[],
  timeLimitMs: number,
): Promise<FreshEvent[]> {
  if (lanes.length === 0) return [];
  const operations = lanes.map(([{ trigger, certificate } = { trigger: "", certificate: "" }]) => ({
    updateOne: {
      filter: narrowed<TriggerDeliveryDocument>({ state: "waiting", trigger, certificate }, isHead),
      // Always a change, so that it conflicts with a transaction that settles the head: one that has begun before a
      // follower was inserted would not promote it.
      update: { $inc: { followers: 1 } },
    },
  }));
  const { matchedCount } = await entries.bulkWrite(operations, { ordered: false, ...atMost(timeLimitMs) });
  if (matchedCount === lanes.length) return lanes.flat();
  if (lanes.length === 1) return [];
  // The result does not say which lanes have no head. A head can be noted again.
  const half = Math.floor(lanes.length / 2);
  const first = await noteFollowers(entries, lanes.slice(0, half), timeLimitMs);
  return [...first, ...(await noteFollowers(entries, lanes.slice(half), timeLimitMs))];
}
