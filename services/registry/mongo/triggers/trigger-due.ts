import type { Collection, FindCursor } from "mongodb";
import type { DueQuery } from "../../triggers/trigger-queue.ts";
import { queueId, type TriggerDeliveryDocument } from "../documents/trigger-documents.ts";
import { within } from "../driver/time-limits.ts";

/**
 * Returns a cursor over the due events of a trigger, starting with the one that became due first. With `only` set to
 * `tests`, the query scans only the trigger's tests, settled ones included.
 */
export function dueCursor(
  entries: Collection<TriggerDeliveryDocument>,
  triggerId: string,
  now: Date,
  { countMax, only, timeLimitMs }: DueQuery,
): FindCursor<TriggerDeliveryDocument> {
  const ofTrigger = { state: "waiting" as const, trigger: triggerId, nextAttemptAt: { $lte: now } };
  // Without the hint, the planner could choose the index that is in sort order, and read all due events.
  const found =
    only === "tests"
      ? entries.find({ ...ofTrigger, _id: testIds(triggerId) }, { ...within(timeLimitMs), hint: { _id: 1 } })
      : entries.find(ofTrigger, within(timeLimitMs));
  return found.sort({ nextAttemptAt: 1 }).limit(countMax);
}

/** Returns the range of the ids of a trigger's tests; "`" follows the underscore in ASCII. */
function testIds(triggerId: string): { readonly $gte: string; readonly $lt: string } {
  return { $gte: queueId(triggerId, "tst_"), $lt: queueId(triggerId, "tst`") };
}
