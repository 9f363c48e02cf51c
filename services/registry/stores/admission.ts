/** The rate limit of the API (INTERFACE.md §8): a sliding-window log. */
export interface RateLimitPolicy {
  /** Maximum number of admitted requests in any window. */
  readonly limit: number;
  readonly windowMs: number;
}

/** The state of a store's rate limit. */
export interface RateLimitState {
  readonly limit: number;
  readonly windowSeconds: number;
  /** Requests that would be admitted now. */
  readonly remaining: number;
  /** Seconds until another request can be admitted, rounded up and at least 1; 0 while the window is empty. */
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

/** Decides about API requests: key, plan and rate limit in one step. */
export interface Admissions {
  /**
   * @param keyHash SHA-256 of the API key
   * @throws ServiceError `unavailable` when the database is unavailable: the limit is never lifted
   */
  admit(keyHash: Uint8Array): Promise<AdmissionDecision>;
}

/**
 * Returns the state of the limit after a decision.
 *
 * @param admitted when the requests of the window were admitted, oldest first; without any older than the window
 * @param now the database's time of the decision
 */
export function rateLimitState(policy: RateLimitPolicy, admitted: readonly Date[], now: Date): RateLimitState {
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
 * Returns how long the window stays full after a decision, in milliseconds, not rounded; 0 when a request can be admitted.
 * The parameters are those of {@link rateLimitState}.
 */
export function fullForMs(policy: RateLimitPolicy, admitted: readonly Date[], now: Date): number {
  const next = admitted.at(-policy.limit);
  if (next === undefined) return 0;
  // After the clock was set back, admissions can be in the future: a window is never full for longer than its length.
  return Math.min(policy.windowMs, next.getTime() + policy.windowMs - now.getTime());
}
