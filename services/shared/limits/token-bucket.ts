import type { Clock } from "../time/clock.ts";

/** The size and refill rate of a token bucket. */
export interface BucketPolicy {
  readonly capacity: number;
  readonly tokensPerSecond: number;
}

/** The state of a token bucket at `atMs`, in milliseconds of the caller's clock. */
export interface Bucket {
  readonly tokens: number;
  readonly atMs: number;
}

/**
 * Takes a token if one is available.
 *
 * @param bucket undefined for a full bucket
 * @returns the bucket's new state, and `waitSeconds`: 0 if a token was taken, otherwise the seconds until the next
 * token, rounded up
 */
export function takeToken(policy: BucketPolicy, bucket: Bucket | undefined, nowMs: number) {
  const { tokens } = refill(policy, bucket, nowMs);
  if (tokens >= 1) return { bucket: { tokens: tokens - 1, atMs: nowMs }, waitSeconds: 0 };
  const waitSeconds = Math.max(1, Math.ceil((1 - tokens) / policy.tokensPerSecond));
  return { bucket: { tokens, atMs: nowMs }, waitSeconds };
}

/**
 * Returns a function that takes a token from one bucket, if one is available, and returns whether it did. For a bucket
 * per store, client or other key, see TokenBuckets.
 *
 * @param clock a monotonic clock
 */
export function singleBucket(policy: BucketPolicy, clock: Pick<Clock, "now">): () => boolean {
  let bucket: Bucket | undefined;
  return () => {
    const taken = takeToken(policy, bucket, clock.now());
    bucket = taken.bucket;
    return taken.waitSeconds === 0;
  };
}

/** Takes a token even if none is left: `tokens` can become negative. @returns the bucket's new state */
export function chargeToken(policy: BucketPolicy, bucket: Bucket | undefined, nowMs: number): Bucket {
  const { tokens, atMs } = refill(policy, bucket, nowMs);
  return { tokens: tokens - 1, atMs };
}

/** Puts a token back, up to the bucket's capacity. @returns the bucket's new state */
export function returnToken(policy: BucketPolicy, bucket: Bucket | undefined, nowMs: number): Bucket {
  const { tokens, atMs } = refill(policy, bucket, nowMs);
  return { tokens: Math.min(policy.capacity, tokens + 1), atMs };
}

function refill({ capacity, tokensPerSecond }: BucketPolicy, bucket: Bucket | undefined, nowMs: number) {
  if (bucket === undefined) return { tokens: capacity, atMs: nowMs };
  // A clock that was set back adds no tokens.
  const elapsedMs = Math.max(0, nowMs - bucket.atMs);
  return { tokens: Math.min(capacity, bucket.tokens + (elapsedMs * tokensPerSecond) / 1_000), atMs: nowMs };
}
