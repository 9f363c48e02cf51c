import { setTimeout as delay } from "node:timers/promises";

/**
 * Repeats `check` until it does not throw.
 *
 * @param withinMs the time limit, which also a machine that stands still for seconds keeps. Default 60,000
 * @param everyMs pause between attempts. Default 20
 * @returns the result of `check`
 * @throws the last error of `check` once the time limit has passed
 */
export async function eventually<T>(
  check: () => T | Promise<T>,
  { withinMs = 60_000, everyMs = 20 }: { readonly withinMs?: number; readonly everyMs?: number } = {},
): Promise<T> {
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
