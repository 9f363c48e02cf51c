// At a third of this rate, the heaps of V8 take longer than half an hour to reach their usual size.
const perSecondMax = 60;
// The rest of the limit covers a load generator that sends some requests a little early.
const limitShare = 0.9;

/**
 * Returns how many pages per second the measurement of the memory requests from all stores together. No store exceeds
 * its rate limit, because a refused request ends the measurement; with few stores, the rate is therefore lower.
 *
 * @param stores number of stores that are asked in rotation
 * @param rateLimit maximum number of list requests of a store in any 60 s
 */
export function listsPerSecond(stores: number, rateLimit: number): number {
  return Math.min(perSecondMax, Math.floor((stores * limitShare * rateLimit) / 60));
}
