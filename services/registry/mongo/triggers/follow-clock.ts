import type { Collections } from "../documents/collections.ts";
import type { TriggerDeliveryDocument } from "../documents/trigger-documents.ts";
import { knowledgeLateMaxMs } from "../driver/database-clock.ts";
import { type DatabaseTime, toDate, toMs } from "../driver/database-time.ts";
import { narrowed } from "../driver/narrowed-filter.ts";
import { atMost } from "../driver/time-limits.ts";
import { updateMatching } from "../driver/write-each.ts";
import type { MongoLeases } from "../leases/mongo-leases.ts";
import { reschedule } from "./trigger-schedule.ts";

const countMax = 200;

/**
 * Corrects the times of triggers and their heads after the database's clock was set back: what was due in ten seconds
 * is due in ten seconds again, and no lease ends much later than one that is granted now.
 *
 * Corrects by the database's own time: a replica that was paused after it had learnt `now` changes nothing of triggers
 * whose times are right.
 *
 * @param now the database's time, as far as it is known
 * @returns whether more triggers may be left
 */
export async function followClock(
  { triggers, triggerDeliveries }: Pick<Collections, "triggers" | "triggerDeliveries">,
  {
    now,
    databaseTime,
    leases,
    timeLimitMs,
  }: {
    readonly now: number;
    readonly databaseTime: DatabaseTime;
    readonly leases: Pick<MongoLeases<TriggerDeliveryDocument>, "clamp" | "nextEnd">;
    readonly timeLimitMs: number;
  },
): Promise<boolean> {
  const options = atMost(timeLimitMs);
  const projection = { timedAt: 1, version: 1 } as const;
  const ahead = await triggers
    .find({ timedAt: { $gt: now + knowledgeLateMaxMs } }, { ...options, projection })
    .limit(countMax)
    .toArray();
  const nowMs = toMs(databaseTime());
  for (const { _id: trigger, timedAt, version } of ahead) {
    const earlierMs = { $max: [0, { $subtract: [timedAt, nowMs] }] };
    const dueMs = toMs("$dueAt");
    const dueAt = toDate({ $min: [dueMs, { $max: [nowMs, { $subtract: [dueMs, earlierMs] }] }] });
    const heads = { trigger, dueAt: { $gt: new Date(now) } };
    const waiting = narrowed<TriggerDeliveryDocument>(heads, { lease: { $exists: false } });
    await updateMatching(triggerDeliveries, waiting, [{ $set: { dueAt } }], options);
    await leases.clamp(heads, options);
    // Not earlier by as much as the others: it may have been granted since the clock was set back.
    const until = { $min: ["$$this.until", leases.nextEnd()] };
    const fields = {
      leases: { $map: { input: "$leases", in: { key: "$$this.key", until } } },
      pausedUntil: { $subtract: ["$pausedUntil", earlierMs] },
      // A claim examines the trigger, and determines when its next head is due.
      nextAt: nowMs,
    };
    // A replica that has not learnt how far the clock was set back has left out heads until `now`: the trigger stays
    // ahead, and is corrected again.
    const update = [...reschedule(fields, databaseTime), { $set: { timedAt: { $max: [nowMs, now] } } }];
    await triggers.updateOne({ _id: trigger, version }, update, options);
  }
  return ahead.length === countMax;
}
