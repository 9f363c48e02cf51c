import { ServiceError } from "#shared/errors/service-error.ts";
import { type BucketPolicy, singleBucket } from "#shared/limits/token-bucket.ts";
import { TokenBuckets } from "#shared/limits/token-buckets.ts";
import type { Clock } from "#shared/time/clock.ts";
import { refuseIf } from "../limits/refuse-if.ts";

// One that is rendered and compressed costs about as much as this many that are cached.
const costOfRendering = 20;
/** What a network may render; the first policy applies to a single address. */
export const renderingPolicies: readonly BucketPolicy[] = [
  { capacity: 300, tokensPerSecond: 20 },
  { capacity: 600, tokensPerSecond: 40 },
  { capacity: 1_200, tokensPerSecond: 80 },
];

// What each network may render while all clients together render too much: a few networks with many pages cannot keep
// others from the certificates that these open for the first time.
const reservedPolicies: readonly BucketPolicy[] = [
  { capacity: 10, tokensPerSecond: 0.5 },
  { capacity: 20, tokensPerSecond: 1 },
  { capacity: 40, tokensPerSecond: 2 },
];

/**
 * Limits how many pages that are not cached are rendered, per network and then for all clients together, except for a
 * few pages of each network. Otherwise a client with some hundred valid links and languages would use up the edge's CPU
 * time far below the limit of requests. Parameters as for {@link limitPages}.
 *
 * @returns a function to call before rendering, with the client's networks; it throws ServiceError `rate_limited` or
 * `unavailable` to refuse it
 */
export function limitRendering(perSecondMax: number, clock: Clock, onShed: () => void): LimitRendering {
  const buckets = new TokenBuckets(clock, renderingPolicies);
  const reserved = new TokenBuckets(clock, reservedPolicies);
  const perSecond = Math.max(2, perSecondMax / costOfRendering);
  const isWithinTotal = totalLimit(perSecond, clock);
  // Also bounds what hundreds of networks render together.
  const isWithinReserve = totalLimit(perSecond / 2, clock);
  return (networks) => {
    refuseIf(buckets.take(networks), "Too many different pages are being opened from your network.");
    if (isWithinTotal()) return;
    const isReserved = reserved.take(networks) === 0;
    if (isReserved && isWithinReserve()) return;
    // An overload costs the network nothing.
    if (isReserved) reserved.giveBack(networks);
    buckets.giveBack(networks);
    onShed();
    throw tooMany;
  };
}

/** See {@link limitRendering}. */
export type LimitRendering = (networks: readonly string[]) => void;

/**
 * Limits the rate of page requests of all clients together, which leaves CPU time for API requests. A burst may contain
 * up to `perSecondMax` requests.
 *
 * @param clock a monotonic clock
 * @param onShed called for each request that is refused
 * @returns a function to call for each request; it throws ServiceError `unavailable` to refuse the request
 */
export function limitPages(perSecondMax: number, clock: Clock, onShed: () => void): () => void {
  const isWithinTotal = totalLimit(perSecondMax, clock);
  return () => {
    if (isWithinTotal()) return;
    onShed();
    throw tooMany;
  };
}

/** Limits a rate, with a burst of a second; see {@link singleBucket}. */
function totalLimit(perSecond: number, clock: Clock): () => boolean {
  return singleBucket({ capacity: perSecond, tokensPerSecond: perSecond }, clock);
}

// Created once: capturing a stack trace for each refused request would be expensive.
const tooMany = new ServiceError("unavailable", "Too many pages are being opened.", {
  cause: new Error("too many page requests per second (EDGE_PAGES_PER_SECOND_MAX)"),
});
