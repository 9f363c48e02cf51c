import type { Standing } from "./store-pace.ts";

/** A store for which messages wait. */
export interface Crowd {
  readonly standing: Standing;
  readonly waiting: number;
}

/**
 * Whether the one store is to make room rather than the other: one that is not known to be quick before one that is,
 * then the one for which more messages wait, then the slow one.
 */
export function crowdsMore(one: Crowd, other: Crowd): boolean {
  const differences = [
    Number(one.standing !== "quick") - Number(other.standing !== "quick"),
    one.waiting - other.waiting,
    Number(one.standing === "slow") - Number(other.standing === "slow"),
  ];
  return (differences.find((difference) => difference !== 0) ?? 0) > 0;
}
