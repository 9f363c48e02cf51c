import type { Collections } from "../documents/collections.ts";
import type { TriggerDeliveryDocument } from "../documents/trigger-documents.ts";
import { knowledgeLateMaxMs } from "../driver/database-clock.ts";
import { addMs, type DatabaseTime, toMs } from "../driver/database-time.ts";
import { narrowed } from "../driver/narrowed-filter.ts";
import { within } from "../driver/time-limits.ts";
import { updateMatching } from "../driver/write-each.ts";
import { reschedule } from "./trigger-schedule.ts";

const countMax = 200;

/**
 * Corrects the times of triggers and their heads after the database's clock was set back: what was due in ten seconds
 * is due in ten seconds again, and no lease ends later than one that is granted now.
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
    leaseLifeMs,
    timeLimitMs,
  }: {
    readonly now: number;
    readonly databaseTime: DatabaseTime;
    readonly leaseLifeMs: number;
    readonly timeLimitMs: number;
  },
): Promise<boolean> {
  const options = within(timeLimitMs);
  const projection = { timedAt: 1, version: 1 } as const;
  const ahead = await triggers
    .find({ timedAt: { $gt: now + knowledgeLateMaxMs } }, { ...options, projection })
    .limit(countMax)
    .toArray();
  const nowMs = toMs(databaseTime());
  const latest = addMs(databaseTime(), leaseLifeMs);
  for (const { _id: trigger, timedAt, version } of ahead) {
    const earlierMs = { $max: [0, { $subtract: [timedAt, nowMs] }] };
    const dueAt = { $min: ["$dueAt", { $max: [nowMs, { $subtract: ["$dueAt", earlierMs] }] }] };
    const waiting = narrowed<TriggerDeliveryDocument>({ trigger, dueAt: { $gt: now } }, { lease: null });
    await updateMatching(triggerDeliveries, waiting, [{ $set: { dueAt } }], options);
    const late = { trigger, dueAt: { $gt: now + leaseLifeMs } };
    const tooLong = narrowed<TriggerDeliveryDocument>(late, { lease: { $ne: null } });
    await updateMatching(triggerDeliveries, tooLong, [{ $set: { dueAt: { $min: ["$dueAt", latest] } } }], options);
    const until = { $min: ["$$this.until", latest] };
    const fields = {
      leases: { $map: { input: "$leases", in: { key: "$$this.key", until } } },
      pausedUntil: { $subtract: ["$pausedUntil", earlierMs] },
      // A claim examines the trigger, and determines when its next head is due.
      nextAt: nowMs,
    };
    const update = [...reschedule(fields, databaseTime), { $set: { timedAt: nowMs } }];
    await triggers.updateOne({ _id: trigger, version }, update, options);
  }
  return ahead.length === countMax;
}
