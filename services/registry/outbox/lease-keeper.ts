import type { Clock } from "#shared/time/clock.ts";
import { type Lease, leaseLifeMs } from "./outbox.ts";

/** How a lease stands: `anew` when another may have had it since it was last certain. */
export type LeaseState = "held" | "reacquired" | "lost";

const intervalMs = 1_000;
// What began with the lease must not end when another may have taken over meanwhile.
const marginMs = 1_000;

/** A lease and since when it is held, by a clock that nobody sets. */
export class LeaseKeeper {
  readonly #lease: Lease;
  readonly #clock: Clock;
  #heldAt = Number.NEGATIVE_INFINITY;

  /** @param clock for durations: it never goes back */
  constructor(lease: Lease, clock: Clock) {
    this.#lease = lease;
    this.#clock = clock;
  }

  /** Nobody else can have taken it yet. */
  get isCertain(): boolean {
    return this.#clock.now() - this.#heldAt < leaseLifeMs - marginMs;
  }

  /** Takes the lease or prolongs it, when a second has passed since the last time. */
  async keep(): Promise<LeaseState> {
    const askedAt = this.#clock.now();
    const age = askedAt - this.#heldAt;
    if (age < intervalMs) return "held";
    if (!(await this.#lease.hold())) {
      this.invalidate();
      return "lost";
    }
    this.#heldAt = askedAt;
    return age < leaseLifeMs ? "held" : "reacquired";
  }

  /** Has it asked for again, and counts as another's until then. */
  invalidate(): void {
    this.#heldAt = Number.NEGATIVE_INFINITY;
  }

  /** Gives it back. */
  async release(): Promise<void> {
    this.invalidate();
    await this.#lease.release();
  }
}
