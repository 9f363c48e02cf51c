import { createHash } from "node:crypto";

/** Pseudo-random choices that are the same in every run with the same seed. */
export interface SeededRandom {
  /** Returns an integer from 0 to `end - 1`. */
  below(end: number): number;
  /** Returns one of the values, each with equal probability. @throws Error when there are no values */
  pick<Value>(values: readonly Value[]): Value;
  /** Returns true with this probability (0 to 1). */
  chance(probability: number): boolean;
}

/** Creates a mulberry32 generator, whose state has 32 bits; for test data only. */
export function seededRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  const below = (end: number) => Math.floor(next() * end);
  return {
    below,
    pick(values) {
      const value = values[below(values.length)];
      if (value === undefined) throw new Error("There are no values to pick from.");
      return value;
    },
    chance: (probability) => next() < probability,
  };
}

/** Creates the generator for one actor in a run. Its choices depend only on the seed and the actor's name. */
export function actorRandom(seed: number, actor: string): SeededRandom {
  return seededRandom(createHash("sha256").update(`${seed}/${actor}`).digest().readUInt32BE(0));
}

/** Returns the values in a random order. */
export function shuffled<Value>(values: readonly Value[], random: SeededRandom): Value[] {
  const rest = [...values];
  return values.flatMap(() => rest.splice(random.below(rest.length), 1));
}
