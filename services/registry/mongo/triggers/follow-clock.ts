import type { Collections } from "../documents/collections.ts";
import { within } from "../driver/time-limits.ts";
import { updateMatching } from "../driver/write-each.ts";
import { reschedule } from "./trigger-schedule.ts";

/**
 * A time that is further ahead than this shows a set-back: a replica's knowledge of the database's time is less late.
 */
export const slackMs = 10_000;
const countMax = 200;

/**
 * Corrects the times of triggers and their heads after the database's clock was set back: what was due in ten seconds
 * is due in ten seconds again, and no lease ends later than one that is granted now.
 *
 * @param now the database's time
 * @returns whether more triggers may be left
 */
export async function followClock(
  { triggers, triggerDeliveries }: Pick<Collections, "triggers" | "triggerDeliveries">,
  {
    now,
    leaseLifeMs,
    timeLimitMs,
  }: { readonly now: number; readonly leaseLifeMs: number; readonly timeLimitMs: number },
): Promise<boolean> {
  const options = within(timeLimitMs);
  const projection = { timedAt: 1, version: 1 } as const;
  const ahead = await triggers
    .find({ timedAt: { $gt: now + slackMs } }, { ...options, projection })
    .limit(countMax)
    .toArray();
  const latest = now + leaseLifeMs;
  for (const { _id: trigger, timedAt, version } of ahead) {
    const earlierMs = timedAt - now;
    const dueAt = { $max: [now, { $subtract: ["$dueAt", earlierMs] }] };
    const waiting = { trigger, dueAt: { $gt: now }, lease: null };
    await updateMatching(triggerDeliveries, waiting, [{ $set: { dueAt } }], options);
    const tooLong = { trigger, dueAt: { $gt: latest }, lease: { $ne: null } };
    await updateMatching(triggerDeliveries, tooLong, { $set: { dueAt: latest } }, options);
    const until = { $min: ["$$this.until", latest] };
    const fields = {
      leases: { $map: { input: "$leases", in: { key: "$$this.key", until } } },
      pausedUntil: { $subtract: ["$pausedUntil", earlierMs] },
      // A claim examines the trigger, and determines when its next head is due.
      nextAt: now,
    };
    const update = [...reschedule(fields, () => new Date(now)), { $set: { timedAt: now } }];
    await triggers.updateOne({ _id: trigger, version }, update, options);
  }
  return ahead.length === countMax;
}
