import { setTimeout as delay } from "node:timers/promises";

/** Options of {@link eventually}. */
export interface EventuallyOptions {
  readonly withinMs: number;
  /** Pause between two attempts. Default 20. */
  readonly everyMs?: number;
}

/**
 * Repeats `check` until it does not throw.
 *
 * @returns the result of `check`
 * @throws the last error of `check` after the time limit
 */
export async function eventually<T>(check: () => T | Promise<T>, options: EventuallyOptions): Promise<T> {
  const { withinMs, everyMs = 20 } = options;
  const deadline = performance.now() + withinMs;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() >= deadline) throw error;
    }
    await delay(everyMs);
  }
}
