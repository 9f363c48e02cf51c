import type { RateLimitPolicy } from "./admission.ts";

/** What a window says to a request. */
export interface WindowAnswer {
  readonly isAdmitted: boolean;
  /** When the requests that are now in the window were admitted, oldest first. */
  readonly taken: readonly number[];
}

/**
 * The sliding window, as a model for what the database does: a place is free again exactly one window after it was taken,
 * and a refused request takes none.
 *
 * @returns answers a request at a time in milliseconds, which never goes back
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

/** The most that any window of this length held. @param times in order, in milliseconds */
export function fullestWindow(times: readonly number[], windowMs: number): number {
  let first = 0;
  let most = 0;
  times.forEach((at, index) => {
    while (at - (times[first] ?? at) >= windowMs) first++;
    most = Math.max(most, index - first + 1);
  });
  return most;
}
