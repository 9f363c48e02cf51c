import { type Clock, steadyClock } from "#shared/time/clock.ts";
import { remainingTime } from "#shared/time/remaining-time.ts";
import type { CallLimits } from "./call-limits.ts";
import { LoadShedError } from "./load-shed-error.ts";

/**
 * Returns how long the caller still waits, in whole milliseconds, at least 1 (`maxTimeMS` 0 means "no limit");
 * `Infinity` for a call without a deadline.
 *
 * @param clock the clock by which the deadline is measured
 * @throws LoadShedError when the caller has disconnected or its deadline has passed: the result would not be used
 */
export function remainingMs({ deadline, signal }: CallLimits, clock: Pick<Clock, "now"> = steadyClock): number {
  const remaining = remainingTime(deadline, clock.now(), signal);
  if (typeof remaining === "string") throw new LoadShedError(remaining);
  return remaining;
}
