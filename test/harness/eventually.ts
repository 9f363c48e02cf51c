import { setTimeout as delay } from "node:timers/promises";

/** How long {@link eventually} tries. */
export interface EventuallyOptions {
  readonly withinMs: number;
  /** Pause between two tries. Default 20. */
  readonly everyMs?: number;
}

/**
 * Calls `check` until it does not throw.
 *
 * @returns what `check` returned then
 * @throws the last error of `check` when the time is up
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
