import type { Clock } from "#shared/time/clock.ts";

interface StopwatchClocks {
  readonly wall: Pick<Clock, "now">;
  /** A monotonic clock. */
  readonly steady: Pick<Clock, "now">;
}

/**
 * Starts measuring a duration that must not be underestimated.
 *
 * @returns a function that returns the milliseconds since the start: the longer of the durations on the two clocks. The
 * monotonic clock stops while the machine is suspended, and the wall clock can be set back.
 */
export function startStopwatch({ wall, steady }: StopwatchClocks): () => number {
  const [wallStart, steadyStart] = [wall.now(), steady.now()];
  return () => Math.max(wall.now() - wallStart, steady.now() - steadyStart);
}
