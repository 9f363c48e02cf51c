/** The rate limit of the API (INTERFACE.md §8). */
export interface RateLimitPolicy {
  /** Requests that any window admits at the most. */
  readonly limit: number;
  readonly windowMs: number;
}

/** How a store's limit stands. */
export interface RateLimitState {
  readonly limit: number;
  readonly windowSeconds: number;
  /** Requests that would be admitted right now. */
  readonly remaining: number;
  /** Seconds until another place becomes free, rounded up and at least 1; 0 while none is taken. */
  readonly resetSeconds: number;
}

/** The decision about one API request. */
export type AdmissionDecision =
  | { readonly admission: "unknown_key" }
  | {
      readonly admission: "admitted" | "plan_required" | "rate_limited";
      readonly storeId: string;
      readonly rateLimit: RateLimitState;
    };

/** Decides about API requests: key, plan and limit in one step. */
export interface Admissions {
  /**
   * @param keyHash SHA-256 of the API key
   * @throws ServiceError `unavailable` when the database is away: never unlimited
   */
  admit(keyHash: Uint8Array): Promise<AdmissionDecision>;
}

/**
 * How the limit stands after a decision.
 *
 * @param admitted when the requests of the window were admitted, oldest first; the window has nothing older
 * @param now the database's time of the decision
 */
export function rateLimitState(
  policy: RateLimitPolicy,
  admitted: readonly Date[],
  now: Date,
): RateLimitState {
  const oldest = admitted[0];
  const waitMs = oldest === undefined ? 0 : oldest.getTime() + policy.windowMs - now.getTime();
  return {
    limit: policy.limit,
    windowSeconds: Math.ceil(policy.windowMs / 1_000),
    remaining: Math.max(0, policy.limit - admitted.length),
    resetSeconds: oldest === undefined ? 0 : Math.max(1, Math.ceil(waitMs / 1_000)),
  };
}

/**
 * How long the window stays full after a decision, in milliseconds; 0 when there is room. Takes what {@link rateLimitState}
 * takes, but is not rounded.
 */
export function fullForMs(policy: RateLimitPolicy, admitted: readonly Date[], now: Date): number {
  const next = admitted.at(-policy.limit);
  if (next === undefined) return 0;
  // A clock that was set back leaves admissions of times to come: no window is full for longer than it is.
  return Math.min(policy.windowMs, next.getTime() + policy.windowMs - now.getTime());
}
