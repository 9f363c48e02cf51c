// Share of the rate limit to use. The rest is a margin for requests that the load generator sends a little early.
const limitShare = 0.9;

/**
 * Returns the total rate, in pages per second, at which the part `memory` requests pages. Because a refused request
 * ends the measurement, the rate keeps every store below its rate limit, and is below `perSecondMax` with few stores.
 *
 * @param stores number of stores whose pages are requested in rotation
 * @param rateLimit maximum number of list requests of a store in any 60 s
 * @param perSecondMax maximum of the total rate
 */
export function listsPerSecond(stores: number, rateLimit: number, perSecondMax: number): number {
  return Math.min(perSecondMax, Math.floor((stores * limitShare * rateLimit) / 60));
}
