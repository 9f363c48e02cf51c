import type { LatencyClass } from "./store-concurrency.ts";

/** A store for which messages wait. */
export interface StoreLoad {
  readonly latencyClass: LatencyClass;
  readonly waiting: number;
}

/**
 * Whether the one store is to make room rather than the other: one that is not known to be quick before one that is,
 * then the one for which more messages wait, then the slow one.
 */
export function shedsBefore(one: StoreLoad, other: StoreLoad): boolean {
  const differences = [
    Number(one.latencyClass !== "quick") - Number(other.latencyClass !== "quick"),
    one.waiting - other.waiting,
    Number(one.latencyClass === "slow") - Number(other.latencyClass === "slow"),
  ];
  return (differences.find((difference) => difference !== 0) ?? 0) > 0;
}
