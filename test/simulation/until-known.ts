import type { World } from "./world/world.ts";

/** Far more than faults can take. */
const knownWithinMs = 600_000;

/**
 * Repeats an attempt until its result is known, with a pause between two attempts.
 *
 * @param attempt resolves to `undefined` if the result is unknown
 * @throws Error that names the attempt if its result is still unknown after ten minutes of the world
 */
export async function untilKnown<T>(world: World, attempt: () => Promise<T | undefined>, name: string): Promise<T> {
  const endsAtMs = world.now() + knownWithinMs;
  while (world.now() < endsAtMs) {
    const result = await attempt();
    if (result !== undefined) return result;
    await world.delay(100 + world.below(1_000));
  }
  throw new Error(`without a result after ${knownWithinMs} ms: ${name}`);
}
