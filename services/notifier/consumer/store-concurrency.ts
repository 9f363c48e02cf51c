/**
 * What is known of a store's receiver. `unproven`: nothing yet. `quick`, `slow`: as its last delivery, or one that is
 * under way for longer than that.
 */
export type LatencyClass = "unproven" | "quick" | "slow";

/** How a store's receiver was lately. */
export interface StoreConcurrency {
  /** Deliveries that it may have under way. */
  readonly limit: number;
  readonly latencyClass: LatencyClass;
}

/** A delivery that takes longer holds its slot so long that the store gets only one. */
export const slowMs = 2_000;

/** A store that nothing is known of. */
export const initialConcurrency: StoreConcurrency = { limit: 2, latencyClass: "unproven" };

/** The concurrency of a store whose delivery took, or is under way for, longer than {@link slowMs}. */
export const slowConcurrency: StoreConcurrency = { limit: 1, latencyClass: "slow" };

/** The concurrency after a delivery: each quick one doubles the limit, a slow one leaves a single slot. */
export function adjustConcurrency(
  concurrency: StoreConcurrency,
  deliveryMs: number,
  limitMax: number,
): StoreConcurrency {
  if (deliveryMs > slowMs) return slowConcurrency;
  return { limit: Math.min(limitMax, concurrency.limit * 2), latencyClass: "quick" };
}
