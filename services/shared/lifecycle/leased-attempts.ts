import type { Clock } from "../time/clock.ts";
import { Loop, type LoopOptions } from "./loop.ts";

interface LeasedAttemptsOptions<Lease> extends Pick<LoopOptions, "onFailure" | "failurePauseMs"> {
  /** Leases work that is due: at most `countMax` pieces. Called again at once after fewer, until there are none. */
  readonly claim: (countMax: number, stopping: AbortSignal) => Promise<readonly Lease[]>;
  /** Makes one attempt; `stopping` aborts when no more work is claimed. Never rejects. */
  readonly attempt: (lease: Lease, stopping: AbortSignal) => Promise<void>;
  /** Maximum number of concurrent attempts. */
  readonly concurrencyMax: number;
  /** Pause between two searches for work, in milliseconds; ends early when an attempt ends. */
  readonly pollMs: number;
  readonly clock: Clock;
}

/**
 * Leases work and makes one attempt for each lease. Stores no state: if this process dies, the leases expire, and
 * another process makes the attempts.
 */
export class LeasedAttempts<Lease> {
  readonly #options: LeasedAttemptsOptions<Lease>;
  readonly #loop: Loop;
  readonly #attempts = new Set<Promise<void>>();

  constructor(options: LeasedAttemptsOptions<Lease>) {
    this.#options = options;
    this.#loop = new Loop({ ...options, step: (stopping) => this.#step(stopping) });
  }

  start(): void {
    this.#loop.start();
  }

  /** Ends the pause before the next search for work. */
  wake(): void {
    this.#loop.wake();
  }

  /** Stops claiming, and waits for the attempts in progress. */
  async stop(): Promise<void> {
    await this.#loop.stop();
    await Promise.all(this.#attempts);
  }

  async #step(stopping: AbortSignal): Promise<number> {
    const { concurrencyMax, claim, pollMs } = this.#options;
    const free = concurrencyMax - this.#attempts.size;
    if (stopping.aborted || free <= 0) return pollMs;
    const leases = await claim(free, stopping);
    for (const lease of leases) this.#begin(lease, stopping);
    // More may be due. If no slot is free, the end of an attempt wakes the loop.
    return leases.length > 0 && leases.length < free ? 0 : pollMs;
  }

  #begin(lease: Lease, stopping: AbortSignal): void {
    const attempt = this.#options.attempt(lease, stopping).finally(() => {
      this.#attempts.delete(attempt);
      this.#loop.wake();
    });
    this.#attempts.add(attempt);
  }
}
