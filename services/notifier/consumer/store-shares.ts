import type { StoreConcurrencyLimiterOptions } from "./store-concurrency-limiter.ts";

/**
 * What stores that are not known to be quick may hold of all slots: a quarter for slow ones, an eighth for unproven ones.
 * Idle pulls keep up to half, so an eighth is left beside them for stores that are known to be quick.
 */
export function storeShares(
  concurrencyMax: number,
): Pick<StoreConcurrencyLimiterOptions, "slowMax" | "unprovenMax"> {
  return { slowMax: Math.floor(concurrencyMax / 4), unprovenMax: Math.floor(concurrencyMax / 8) };
}
