import { steadyClock } from "#shared/time/clock.ts";
import type { CallLimits } from "../load/call-limits.ts";
import { remainingMs } from "../load/remaining-time.ts";

/**
 * Returns the `maxTimeMS` of an operation: the time until the caller's deadline, at most `maxMs`. The database server ends
 * an operation that exceeds it. The caller's signal is not passed to the driver: it would close the connection, and under
 * overload empty the pool.
 *
 * @throws LoadShedError once the deadline has passed or the caller has left
 */
export function timeLimit(limits: CallLimits, maxMs: number): { readonly maxTimeMS: number } {
  return { maxTimeMS: Math.min(maxMs, remainingMs(limits, steadyClock)) };
}
