import type { RateLimitPolicy } from "./admission.ts";

/** The model's decision on one request. */
interface WindowAnswer {
  readonly isAdmitted: boolean;
  /** Times of the admissions in the window, oldest first; includes the decided request if it is admitted. */
  readonly taken: readonly number[];
}

/**
 * Reference model of the sliding-window log that the database implements: an admission leaves the window exactly one
 * window length later, and a refused request is not logged.
 *
 * @returns a function that decides whether a request that arrives at `atMs`, in milliseconds, is admitted; the times of
 * successive calls must not decrease
 */
export function windowModel({ limit, windowMs }: RateLimitPolicy): (atMs: number) => WindowAnswer {
  let taken: number[] = [];
  return (atMs) => {
    taken = taken.filter((at) => atMs - at < windowMs);
    const isAdmitted = taken.length < limit;
    if (isAdmitted) taken = [...taken, atMs];
    return { isAdmitted, taken };
  };
}

/** Returns the largest number of these times in any window of this length. @param times ascending, in milliseconds */
export function fullestWindow(times: readonly number[], windowMs: number): number {
  let first = 0;
  let most = 0;
  times.forEach((at, index) => {
    while (at - (times[first] ?? at) >= windowMs) first++;
    most = Math.max(most, index - first + 1);
  });
  return most;
}
