import type { StoreConcurrencyLimiterOptions } from "./store-concurrency-limiter.ts";

/**
 * Returns how many of all delivery slots each latency class may use: a quarter for slow stores, an eighth for stores of
 * unknown latency. Idle pulls keep up to half of the slots, which leaves an eighth for stores known to be fast.
 */
export function latencyClassLimits(
  concurrencyMax: number,
): Pick<StoreConcurrencyLimiterOptions, "slowMax" | "unknownMax"> {
  return { slowMax: Math.floor(concurrencyMax / 4), unknownMax: Math.floor(concurrencyMax / 8) };
}
