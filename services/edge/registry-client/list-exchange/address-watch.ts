import { Loop } from "#shared/lifecycle/loop.ts";
import type { Clock } from "#shared/time/clock.ts";

interface AddressWatchOptions {
  readonly clock: Pick<Clock, "sleep">;
  /** Returns the current addresses. @throws an error if they cannot be resolved */
  readonly resolve: () => Promise<readonly string[]>;
  readonly everyMs: number;
  /** Called with the addresses after each successful attempt. */
  readonly onResolved: (addresses: readonly string[]) => void;
  /** Called with the error after each failed attempt. */
  readonly onFailed: (error: unknown) => void;
}

// The minimum pause between two attempts.
const pauseMs = 1_000;

/** Resolves the addresses of a service periodically, and earlier on request or after a failure. */
export class AddressWatch {
  readonly #options: AddressWatchOptions;
  readonly #loop: Loop;
  #isResolving = true;

  constructor(options: AddressWatchOptions) {
    this.#options = options;
    this.#loop = new Loop({ clock: options.clock, step: (stopping) => this.#step(stopping) });
    this.#loop.start();
  }

  /** Whether an attempt is in progress. */
  get isResolving(): boolean {
    return this.#isResolving;
  }

  /** Starts the next attempt as soon as the minimum pause has passed. */
  refresh(): void {
    this.#loop.wake();
  }

  stop(): void {
    void this.#loop.stop();
    this.#isResolving = false;
  }

  async #step(stopping: AbortSignal): Promise<number> {
    const { clock, everyMs } = this.#options;
    const isResolved = await this.#attempt(stopping);
    const shortMs = Math.min(pauseMs, everyMs);
    await clock.sleep(shortMs, stopping);
    return isResolved ? everyMs - shortMs : 0;
  }

  /** @returns false if the attempt failed */
  async #attempt(signal: AbortSignal): Promise<boolean> {
    const { resolve, onResolved, onFailed } = this.#options;
    this.#isResolving = true;
    const [result] = await Promise.allSettled([resolve()]);
    this.#isResolving = false;
    if (signal.aborted) return true;
    if (result.status === "fulfilled") onResolved(result.value);
    else onFailed(result.reason);
    return result.status === "fulfilled";
  }
}
