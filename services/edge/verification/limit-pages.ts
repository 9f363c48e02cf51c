import { ServiceError } from "#shared/errors/service-error.ts";
import { type Bucket, takeToken } from "#shared/limits/token-bucket.ts";
import type { Clock } from "#shared/time/clock.ts";

/**
 * Limits the rate of page requests of all clients together, which leaves CPU time for API requests. A burst may contain
 * up to `perSecondMax` requests.
 *
 * @param clock a monotonic clock
 * @param onShed called for each request that is refused
 * @returns a function to call for each request; it throws ServiceError `unavailable` to refuse the request
 */
export function limitPages(perSecondMax: number, clock: Clock, onShed: () => void): () => void {
  const policy = { capacity: perSecondMax, tokensPerSecond: perSecondMax };
  let bucket: Bucket | undefined;
  return () => {
    const taken = takeToken(policy, bucket, clock.now());
    bucket = taken.bucket;
    if (taken.waitSeconds === 0) return;
    onShed();
    throw tooMany;
  };
}

// Created once: capturing a stack trace for each refused request would be expensive.
const tooMany = new ServiceError("unavailable", "Too many pages are being opened.", {
  cause: new Error("too many page requests per second (EDGE_PAGES_PER_SECOND_MAX)"),
});
