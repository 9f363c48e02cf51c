import { type Clock, steadyClock } from "#shared/time/clock.ts";
import { remainingTime } from "#shared/time/remaining-time.ts";
import { LoadShedError } from "./load-shed-error.ts";

/** How long a caller waits for the result of its call. */
export interface CallLimits {
  /** Time at which the caller gives up, in milliseconds of the monotonic clock; `Infinity` means never. */
  readonly deadline: number;
  /** Aborts when the caller disconnects; the signal of a gRPC call also aborts when its deadline passes. */
  readonly signal: AbortSignal;
}

/** The limits of background work, which has no caller. */
export const noLimits: CallLimits = { deadline: Number.POSITIVE_INFINITY, signal: new AbortController().signal };

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
