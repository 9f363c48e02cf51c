import type { LatencyClass } from "./store-concurrency.ts";

/** The messages of a store that wait for a delivery slot. */
export interface StoreLoad {
  readonly latencyClass: LatencyClass;
  readonly waiting: number;
}

/**
 * Returns whether `one` must shed a message before `other`: stores not known to be fast come first, then stores with
 * more waiting messages, then slow stores.
 */
export function shedsBefore(one: StoreLoad, other: StoreLoad): boolean {
  const differences = [
    Number(one.latencyClass !== "fast") - Number(other.latencyClass !== "fast"),
    one.waiting - other.waiting,
    Number(one.latencyClass === "slow") - Number(other.latencyClass === "slow"),
  ];
  return (differences.find((difference) => difference !== 0) ?? 0) > 0;
}
