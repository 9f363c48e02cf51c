import type { Clock } from "#shared/time/clock.ts";
import { type Lease, leaseTtlMs } from "./lease.ts";

/**
 * State of a lease. `reacquired`: another replica may have held the lease since this replica was last certain of it.
 */
export type LeaseState = "held" | "reacquired" | "lost";

const renewIntervalMs = 1_000;
// Work that starts while the lease is certain should finish before another replica can acquire the lease.
const safetyMarginMs = 1_000;

/**
 * Acquires a {@link Lease} and renews it at most once a second. The lease's age is measured on a monotonic clock from
 * the start of the request that renewed it, so that this replica regards the lease as expired before the database does.
 */
export class LeaseKeeper {
  readonly #lease: Lease;
  readonly #clock: Clock;
  #renewedAt = Number.NEGATIVE_INFINITY;

  /** @param clock a monotonic clock */
  constructor(lease: Lease, clock: Clock) {
    this.#lease = lease;
    this.#clock = clock;
  }

  /** Whether this replica certainly holds the lease and will hold it for at least another second, the safety margin. */
  get isCertain(): boolean {
    return this.#clock.now() - this.#renewedAt < leaseTtlMs - safetyMarginMs;
  }

  /** Acquires or renews the lease if the last renewal is at least a second old. */
  async keep(): Promise<LeaseState> {
    const requestedAt = this.#clock.now();
    const age = requestedAt - this.#renewedAt;
    if (age < renewIntervalMs) return "held";
    if (!(await this.#lease.acquire())) {
      this.invalidate();
      return "lost";
    }
    this.#renewedAt = requestedAt;
    return age < leaseTtlMs ? "held" : "reacquired";
  }

  /** Treats the lease as expired until the next {@link keep}, which requests it again. */
  invalidate(): void {
    this.#renewedAt = Number.NEGATIVE_INFINITY;
  }

  /** Releases the lease, so that another replica need not wait until it expires. */
  async release(): Promise<void> {
    this.invalidate();
    await this.#lease.release();
  }
}
