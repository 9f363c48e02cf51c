/**
 * What is known of a store's receiver. `unproven`: nothing yet. `quick`, `slow`: as its last delivery, or one that is
 * under way for longer than that.
 */
export type Standing = "unproven" | "quick" | "slow";

/** How a store's receiver was lately. */
export interface StorePace {
  /** Deliveries that it may have under way. */
  readonly limit: number;
  readonly standing: Standing;
}

/** A delivery that takes longer holds its slot so long that the store gets only one. */
export const slowMs = 2_000;

/** A store that nothing is known of. */
export const firstPace: StorePace = { limit: 2, standing: "unproven" };

/** The pace of a store whose delivery took, or is under way for, longer than {@link slowMs}. */
export const slowPace: StorePace = { limit: 1, standing: "slow" };

/** The pace after a delivery: each quick one doubles the limit, a slow one leaves a single slot. */
export function paceAfter(pace: StorePace, deliveryMs: number, limitMax: number): StorePace {
  if (deliveryMs > slowMs) return slowPace;
  return { limit: Math.min(limitMax, pace.limit * 2), standing: "quick" };
}
