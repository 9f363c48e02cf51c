/** How a token bucket fills. */
export interface BucketPolicy {
  /** Tokens of a full bucket. */
  readonly capacity: number;
  readonly tokensPerSecond: number;
}

/** A token bucket at a time. */
export interface Bucket {
  readonly tokens: number;
  /** Milliseconds since the Unix epoch. */
  readonly atMs: number;
}

/** What came of asking a bucket for a token. */
export interface BucketAnswer {
  readonly bucket: Bucket;
  /** 0 when there was a token; else the seconds until there is one, rounded up. */
  readonly waitSeconds: number;
}

/** Takes a token, if there is one. @param bucket undefined: a full one */
export function takeToken(policy: BucketPolicy, bucket: Bucket | undefined, nowMs: number): BucketAnswer {
  const { tokens } = filled(policy, bucket, nowMs);
  if (tokens >= 1) return { bucket: { tokens: tokens - 1, atMs: nowMs }, waitSeconds: 0 };
  const waitSeconds = Math.max(1, Math.ceil((1 - tokens) / policy.tokensPerSecond));
  return { bucket: { tokens, atMs: nowMs }, waitSeconds };
}

/** Gives a token back that was taken for nothing. */
export function returnToken(policy: BucketPolicy, bucket: Bucket | undefined, nowMs: number): Bucket {
  const { tokens, atMs } = filled(policy, bucket, nowMs);
  return { tokens: Math.min(policy.capacity, tokens + 1), atMs };
}

function filled({ capacity, tokensPerSecond }: BucketPolicy, bucket: Bucket | undefined, nowMs: number) {
  if (bucket === undefined) return { tokens: capacity, atMs: nowMs };
  // A clock that was set back fills nothing.
  const passedMs = Math.max(0, nowMs - bucket.atMs);
  return { tokens: Math.min(capacity, bucket.tokens + (passedMs * tokensPerSecond) / 1_000), atMs: nowMs };
}
