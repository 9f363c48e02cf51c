import type { Clock } from "#shared/time/clock.ts";

/** Options of an {@link AddressWatch}. */
export interface AddressWatchOptions {
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
  readonly #stopping = new AbortController();
  #early = new AbortController();
  #isResolving = true;

  constructor(options: AddressWatchOptions) {
    this.#options = options;
    void this.#run();
  }

  /** Whether an attempt is in progress. */
  get isResolving(): boolean {
    return this.#isResolving;
  }

  /** Starts the next attempt as soon as the minimum pause has passed. */
  refresh(): void {
    this.#early.abort();
  }

  stop(): void {
    this.#stopping.abort();
    this.#isResolving = false;
  }

  async #run(): Promise<void> {
    const { clock, everyMs } = this.#options;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      this.#early = new AbortController();
      if (!(await this.#attempt(signal))) this.#early.abort();
      const shortMs = Math.min(pauseMs, everyMs);
      await clock.sleep(shortMs, signal);
      await clock.sleep(everyMs - shortMs, AbortSignal.any([signal, this.#early.signal]));
    }
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
