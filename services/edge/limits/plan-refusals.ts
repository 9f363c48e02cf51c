import { LRUCache } from "lru-cache";
import { type Bucket, type BucketPolicy, takeToken } from "#shared/limits/token-bucket.ts";
import type { Clock } from "#shared/time/clock.ts";

/** The store's rate limit, as the registry reports it. */
interface RequestRate {
  readonly limit: number;
  readonly windowSeconds: number;
}

/** A refusal that needs no call to the registry, because the request's key has used up its budget. */
export interface BudgetRefusal {
  readonly rate: RequestRate;
  readonly waitSeconds: number;
}

interface Budget {
  readonly rate: RequestRate;
  readonly bucket: Bucket | undefined;
}

// About 10 MB when full.
const keysMax = 50_000;

/**
 * Limits the requests of keys whose stores lack the required plan. Such requests do not count against the store's rate
 * limit, so without a budget of their own their number would be unlimited.
 *
 * Each such key has a token bucket that allows the rate of its own store's limit (TokenBuckets have one rate for all
 * keys): a client that stays within the limit always gets the registry's decision, so an upgrade takes effect with its
 * next request.
 *
 * Each `key` parameter is the SHA-256 hash of an API key, in base64.
 */
export class PlanRefusals {
  readonly #clock: Clock;
  readonly #budgets: LRUCache<string, Budget>;

  /** @param clock a monotonic clock */
  constructor(clock: Clock, options: { readonly keysMax?: number } = {}) {
    this.#clock = clock;
    this.#budgets = new LRUCache({ max: options.keysMax ?? keysMax });
  }

  /**
   * Takes a token if the registry has refused the key because its store lacks the required plan.
   *
   * @returns undefined if the registry may be called
   */
  takeToken(key: string): BudgetRefusal | undefined {
    const budget = this.#budgets.get(key);
    if (budget === undefined) return undefined;
    const { rate } = budget;
    const { bucket, waitSeconds } = takeToken(policyOf(rate), budget.bucket, this.#clock.now());
    this.#budgets.set(key, { rate, bucket });
    return waitSeconds > 0 ? { rate, waitSeconds } : undefined;
  }

  /**
   * Records that the registry refused a key because its store lacks the required plan. The first refusal starts the
   * key's budget.
   */
  noteRefusal(key: string, rate: RequestRate): void {
    if (this.#budgets.has(key)) return;
    this.#budgets.set(key, { rate, bucket: takeToken(policyOf(rate), undefined, this.#clock.now()).bucket });
  }

  /** Deletes the key's budget, after a registry decision other than `plan_required`. */
  noteOther(key: string): void {
    this.#budgets.delete(key);
  }
}

function policyOf({ limit, windowSeconds }: RequestRate): BucketPolicy {
  return { capacity: limit, tokensPerSecond: limit / windowSeconds };
}
