import { type Clock, steadyClock } from "#shared/time/clock.ts";
import type { CallLimits } from "./call-limits.ts";
import { LoadShedError } from "./load-shed-error.ts";

/**
 * Returns the time in milliseconds until the caller gives up, as a limit for a database command (`maxTimeMS`); undefined
 * for a call without a deadline.
 *
 * @param clock a monotonic clock
 * @throws LoadShedError when the caller has left or its deadline has passed: nobody would use the result of the work
 */
export function remainingTimeMs({ deadline, signal }: CallLimits, clock: Clock = steadyClock): number | undefined {
  if (signal.aborted) throw new LoadShedError("caller_left");
  const remainingMs = Math.floor(deadline - clock.now());
  // maxTimeMS 0 would mean "no limit".
  if (remainingMs < 1) throw new LoadShedError("deadline");
  return Number.isFinite(remainingMs) ? remainingMs : undefined;
}
