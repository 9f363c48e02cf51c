/** The latency class of a store's receiver, by its last delivery. `unknown`: no delivery yet. */
export type LatencyClass = "unknown" | "fast" | "slow";

/** The concurrency that a store's recent latency allows. */
export interface StoreConcurrency {
  /** Concurrent deliveries. */
  readonly limit: number;
  readonly latencyClass: LatencyClass;
}

/** Deliveries that take longer make their store slow. */
export const slowMs = 2_000;

/** The concurrency of a store without deliveries. */
export const initialConcurrency: StoreConcurrency = { limit: 2, latencyClass: "unknown" };

/** The concurrency of a store whose delivery took, or is already taking, longer than {@link slowMs}. */
export const slowConcurrency: StoreConcurrency = { limit: 1, latencyClass: "slow" };

/**
 * Returns the concurrency after a delivery (slow start): each fast delivery doubles the limit up to `limitMax`, a slow
 * one reduces it to 1.
 */
export function adjustConcurrency(
  concurrency: StoreConcurrency,
  deliveryMs: number,
  limitMax: number,
): StoreConcurrency {
  if (deliveryMs > slowMs) return slowConcurrency;
  return { limit: Math.min(limitMax, concurrency.limit * 2), latencyClass: "fast" };
}
