/** Random choices that are the same in every run. */
export interface SeededRandom {
  /** A whole number from 0 to below `end`. */
  below(end: number): number;
  /** One of the values, each as likely as the others; fails where there is none. */
  pick<Value>(values: readonly Value[]): Value;
  /** Whether a thing of this likelihood (0 to 1) happens. */
  chance(likelihood: number): boolean;
}

/** The choices of this seed (mulberry32, 32 bits; for demo data only). */
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
      if (value === undefined) throw new Error("There is nothing to pick from.");
      return value;
    },
    chance: (likelihood) => next() < likelihood,
  };
}
