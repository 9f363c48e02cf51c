import { Loop } from "#shared/lifecycle/loop.ts";
import type { Clock } from "#shared/time/clock.ts";
import type { Latch } from "./latch.ts";

interface LeasedAttemptsOptions<Lease> {
  /** Leases work that is due from the registry: at most `countMax` pieces. */
  readonly claim: (countMax: number) => Promise<readonly Lease[]>;
  /** Makes one attempt; `stopping` aborts when no more work is claimed. Never rejects. */
  readonly attempt: (lease: Lease, stopping: AbortSignal) => Promise<void>;
  /** Called with the error of a claim, for the log. */
  readonly onFailure: (error: unknown) => void;
  readonly failurePauseMs: { readonly first: number; readonly max: number };
  /** Maximum number of concurrent attempts. */
  readonly concurrencyMax: number;
  /** Pause between two searches for work, in milliseconds; ends early when an attempt ends. */
  readonly pollMs: number;
  /** Open while the registry is available. */
  readonly registryAvailable: Latch;
  readonly clock: Clock;
}

/**
 * Leases work from the registry and makes one attempt for each lease. Stores no state: if this process dies, the leases
 * expire, and another notifier makes the attempts.
 */
export class LeasedAttempts<Lease> {
  readonly #options: LeasedAttemptsOptions<Lease>;
  readonly #loop: Loop;
  readonly #attempts = new Set<Promise<void>>();

  constructor(options: LeasedAttemptsOptions<Lease>) {
    this.#options = options;
    const { clock, onFailure, failurePauseMs } = options;
    this.#loop = new Loop({ clock, step: (stopping) => this.#step(stopping), onFailure, failurePauseMs });
  }

  start(): void {
    this.#loop.start();
  }

  /** Stops claiming, and waits for the attempts in progress. */
  async stop(): Promise<void> {
    await this.#loop.stop();
    await Promise.all(this.#attempts);
  }

  async #step(stopping: AbortSignal): Promise<number> {
    const { registryAvailable, concurrencyMax, claim, pollMs } = this.#options;
    await registryAvailable.whenOpen(stopping);
    const free = concurrencyMax - this.#attempts.size;
    if (stopping.aborted || free <= 0) return pollMs;
    const leases = await claim(free);
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
