import type { Clock } from "#shared/time/clock.ts";
import { postponedMaxMs } from "../../storefront/storefront-storage.ts";
import { knowledgeLateMaxMs } from "../driver/database-clock.ts";

/**
 * Returns the filter of the storefront's work that is due. Work that would be due later than any work is postponed
 * shows that the database's clock was set back, and is due as well: otherwise it would wait until that clock has caught
 * up.
 *
 * @param filter the other conditions, which an index has before `dueAt`
 * @param clock the database's clock
 */
export function dueFilter<Conditions extends object>(filter: Conditions, clock: Pick<Clock, "now">) {
  const nowMs = clock.now();
  // Two ranges of one index, each in the order of `dueAt`.
  const ranges = [{ $lte: new Date(nowMs) }, { $gt: new Date(nowMs + postponedMaxMs + knowledgeLateMaxMs) }];
  return { $or: ranges.map((dueAt) => ({ ...filter, dueAt })) };
}
