// The estimate falls faster than it rises, so that it recovers within a few fast calls after a stall.
const riseWeight = 0.1;
const fallWeight = 0.5;

/**
 * Estimates how long the next unit of work takes: an exponentially weighted moving average. Durations are in
 * milliseconds.
 */
export class ServiceTime {
  #expectedMs: number | undefined;

  /** 0 before the first observation. */
  get expectedMs(): number {
    return this.#expectedMs ?? 0;
  }

  observe(durationMs: number): void {
    const expectedMs = this.#expectedMs ?? durationMs;
    const weight = durationMs > expectedMs ? riseWeight : fallWeight;
    this.#expectedMs = expectedMs + weight * (durationMs - expectedMs);
  }
}
