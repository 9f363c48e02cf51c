/** How a store's receiver was lately. */
export interface StorePace {
  /** Deliveries that it may have under way. */
  readonly limit: number;
  /** Its last delivery was slow. */
  readonly isSlow: boolean;
}

/** A delivery that takes longer holds its slot so long that the store gets only one. */
export const slowMs = 2_000;

/** A store that nothing is known of. */
export const firstPace: StorePace = { limit: 2, isSlow: false };

/** The pace after a delivery: each quick one doubles the limit, a slow one leaves a single slot. */
export function paceAfter(pace: StorePace, deliveryMs: number, limitMax: number): StorePace {
  if (deliveryMs > slowMs) return { limit: 1, isSlow: true };
  return { limit: Math.min(limitMax, pace.limit * 2), isSlow: false };
}
