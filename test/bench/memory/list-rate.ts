// The rest of the limit covers a load generator that sends some requests a little early.
const limitShare = 0.9;

/**
 * Returns how many pages per second the measurement of the memory requests for all stores together. No store exceeds
 * its rate limit, because a refused request ends the measurement; with few stores, the rate is therefore lower.
 *
 * @param stores number of stores that are asked in rotation
 * @param rateLimit maximum number of list requests of a store in any 60 s
 * @param perSecondMax the rate that many stores together get
 */
export function listsPerSecond(stores: number, rateLimit: number, perSecondMax: number): number {
  return Math.min(perSecondMax, Math.floor((stores * limitShare * rateLimit) / 60));
}
