import type { Clock } from "#shared/time/clock.ts";

/** Returns how often a lease is renewed, in milliseconds: five times in its life. */
export function renewEveryMs(lifeMs: number): number {
  return lifeMs / 5;
}

/**
 * The age of leases that are renewed together, measured on a monotonic clock from the start of the request that made or
 * renewed them, so that their holder regards them as expired before the database does.
 */
export class LeaseAge {
  readonly #lifeMs: number;
  readonly #clock: Pick<Clock, "now">;
  #countedFrom = Number.NEGATIVE_INFINITY;

  /** @param lifeMs how long the leases last after they are made or renewed @param clock a monotonic clock */
  constructor(lifeMs: number, clock: Pick<Clock, "now">) {
    this.#lifeMs = lifeMs;
    this.#clock = clock;
  }

  get isRenewalDue(): boolean {
    return this.#ageMs >= renewEveryMs(this.#lifeMs);
  }

  /**
   * Whether the leases certainly last for another fifth of their life: work that starts now should finish before
   * another replica can claim it.
   */
  get isCertain(): boolean {
    return this.#ageMs < this.#lifeMs - renewEveryMs(this.#lifeMs);
  }

  /** Makes a request that makes or renews the leases: their age counts from its start. @returns its result */
  async countFrom<T>(request: () => Promise<T>): Promise<T> {
    const requestedAt = this.#clock.now();
    const result = await request();
    this.#countedFrom = requestedAt;
    return result;
  }

  get #ageMs(): number {
    return this.#clock.now() - this.#countedFrom;
  }
}
