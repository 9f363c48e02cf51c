import { type Clock, steadyClock } from "#shared/time/clock.ts";
import type { CallLimits } from "./call-limits.ts";
import { LoadShedError } from "./load-shed-error.ts";

/**
 * Returns how long the caller still waits, in whole milliseconds, at least 1 (`maxTimeMS` 0 means "no limit");
 * `Infinity` for a call without a deadline.
 *
 * @param clock the clock of the deadline
 * @throws LoadShedError when the caller has left or its deadline has passed: no caller would use the result
 */
export function remainingMs({ deadline, signal }: CallLimits, clock: Pick<Clock, "now"> = steadyClock): number {
  const remaining = Math.floor(deadline - clock.now());
  // The deadline first: the signal also aborts when the deadline passes.
  if (remaining < 1) throw new LoadShedError("deadline");
  if (signal.aborted) throw new LoadShedError("caller_left");
  return remaining;
}
