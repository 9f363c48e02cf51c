import type { StoreSettings } from "../values/store.ts";

/** The rate limit of the API (INTERFACE.md §8): a sliding-window log. */
export interface RateLimitPolicy {
  /** Maximum number of admitted requests in any window. */
  readonly limit: number;
  readonly windowMs: number;
}

/** The state of a store's rate limit. */
interface RateLimitState {
  readonly limit: number;
  readonly windowSeconds: number;
  /** Number of requests that would be admitted now. */
  readonly remaining: number;
  /** Seconds until the oldest admission leaves the window, rounded up and at least 1; 0 while the window is empty. */
  readonly resetSeconds: number;
}

/** The decision on one API request. */
export type AdmissionDecision =
  | { readonly admission: "unknown_key" }
  | (StoreAdmission & { readonly admission: "plan_required" | "rate_limited" })
  | (StoreAdmission & {
      readonly admission: "admitted";
      /**
       * Database time of the decision; not earlier than that of the previous decision, unless the database's clock was
       * set back.
       */
      readonly at: Date;
      /** The store's settings, as of the decision. */
      readonly settings: StoreSettings;
      /** Epoch of the store's feed. */
      readonly epoch: string;
    });

interface StoreAdmission {
  readonly storeId: string;
  readonly rateLimit: RateLimitState;
}

/** The decision on a request that is not admitted. */
export type AdmissionRefusal = Exclude<AdmissionDecision, { readonly admission: "admitted" }>;

/** Options of {@link Admissions.admit}. */
export interface AdmitOptions {
  /**
   * Identifies the request's place in the rate-limit window, so that the place can be returned; random and unique.
   * Default: the place cannot be returned.
   */
  readonly id?: Uint8Array;
  /**
   * Returns the time left for the decision, in milliseconds; called repeatedly until the decision. Default: unlimited.
   *
   * @throws ServiceError `unavailable` if no time is left or the caller has disconnected, and then on every later call
   */
  readonly remainingMs?: () => number;
}

/** Decides whether to admit API requests, checking the key, the plan and the rate limit in one step. */
export interface Admissions {
  /**
   * Refuses a request without a write if this process refused the key's last request and a database read shows that
   * this request must be refused as well.
   *
   * @param remainingMs as for `admit`
   * @returns undefined if `admit` must decide
   * @throws ServiceError `unavailable` when the database is unavailable
   */
  refuse(keyHash: Uint8Array, remainingMs?: () => number): Promise<AdmissionRefusal | undefined>;
  /**
   * Refuses a request as `refuse` does; otherwise admits or refuses it with a write.
   *
   * @param keyHash SHA-256 of the API key
   * @throws ServiceError `unavailable` when the database is unavailable: no request is admitted unchecked. The request
   * may still hold a place, because the database may have written the admission. If the error is that of `remainingMs`,
   * the request holds no place.
   */
  admit(keyHash: Uint8Array, options?: AdmitOptions): Promise<AdmissionDecision>;
}

/** The places that admitted requests hold in their store's rate-limit window. */
export interface AdmissionPlaces {
  /**
   * Removes admissions from the window, so that they no longer count against the limit. Repeating the call is safe.
   *
   * @param keyHash SHA-256 of the API key with which the requests were admitted
   * @param storeId the key's store, if known: it is found then even if the key has been revoked since
   * @returns the ids of the admissions that held a place
   * @throws ServiceError `unavailable` when the database is unavailable
   */
  returnPlaces(keyHash: Uint8Array, ids: readonly Uint8Array[], storeId?: string): Promise<readonly Uint8Array[]>;
}

/** The admissions in a store's window after a decision. */
export interface WindowState {
  /** Database time of the decision. */
  readonly at: Date;
  /** Number of admissions in the window. */
  readonly count: number;
  /** Time of the oldest admission, not later than the decision; undefined while the window is empty. */
  readonly oldest?: Date | undefined;
}

/** Returns the state of the rate limit after a decision. */
export function rateLimitState(policy: RateLimitPolicy, window: WindowState): RateLimitState {
  return {
    limit: policy.limit,
    windowSeconds: Math.ceil(policy.windowMs / 1_000),
    remaining: Math.max(0, policy.limit - window.count),
    resetSeconds: window.oldest === undefined ? 0 : Math.max(1, Math.ceil(resetMs(policy, window) / 1_000)),
  };
}

/**
 * Returns the time from a decision until the oldest admission leaves a full window, in milliseconds, not rounded; 0
 * when a request can be admitted. If places are returned, a request can be admitted earlier; after the limit has been
 * lowered, the window may stay full for longer.
 */
export function fullForMs(policy: RateLimitPolicy, window: WindowState): number {
  return window.count < policy.limit ? 0 : resetMs(policy, window);
}

/**
 * Returns the window as it is after one request of a group, without the admissions of the group's later requests.
 *
 * @param window the window after the group
 * @param admitted whether each request of the group was admitted
 * @param position the request's position in the group, from 0
 */
export function windowInGroup<W extends WindowState>(window: W, admitted: readonly boolean[], position: number): W {
  const laterCount = admitted.slice(position + 1).filter(Boolean).length;
  return { ...window, count: window.count - laterCount };
}

function resetMs({ windowMs }: RateLimitPolicy, { at, oldest }: WindowState): number {
  return oldest === undefined ? 0 : oldest.getTime() + windowMs - at.getTime();
}
