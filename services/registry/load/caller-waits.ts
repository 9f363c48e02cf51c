import { type Clock, steadyClock } from "#shared/time/clock.ts";

const checkEveryMs = 25;

/**
 * Waits for results on behalf of callers; a wait ends early if its caller has disconnected or run out of time. One
 * timer serves all waits: a timer and an abort signal for each wait would cost more than the rest of the wait.
 */
export class CallerWaits {
  readonly #clock: Pick<Clock, "sleep">;
  readonly #checks = new Set<() => void>();
  #isChecking = false;

  constructor(clock: Pick<Clock, "sleep"> = steadyClock) {
    this.#clock = clock;
  }

  /**
   * @param check throws when the caller no longer waits; called at the start and every 25 ms
   * @returns the value of the promise
   * @throws the error of `check`, without waiting any longer; otherwise that of the promise
   */
  async wait<T>(promise: Promise<T>, check: () => unknown): Promise<T> {
    // Prevents an unhandled rejection: `check` may throw before the race below handles the promise.
    promise.catch(() => undefined);
    check();
    const { promise: left, reject: leave } = Promise.withResolvers<never>();
    const checkAgain = () => {
      try {
        check();
      } catch (error) {
        leave(error);
      }
    };
    this.#checks.add(checkAgain);
    void this.#checkAll();
    try {
      return await Promise.race([promise, left]);
    } finally {
      this.#checks.delete(checkAgain);
    }
  }

  async #checkAll(): Promise<void> {
    if (this.#isChecking) return;
    this.#isChecking = true;
    while (this.#checks.size > 0) {
      await this.#clock.sleep(checkEveryMs);
      for (const check of this.#checks) check();
    }
    this.#isChecking = false;
  }
}
