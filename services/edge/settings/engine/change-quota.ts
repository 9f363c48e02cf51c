import { Counter, type Registry } from "prom-client";
import type { BucketPolicy } from "#shared/limits/token-bucket.ts";
import { TokenBuckets } from "#shared/limits/token-buckets.ts";
import type { Clock } from "#shared/time/clock.ts";
import { refuseIf } from "../../limits/refuse-if.ts";

/** Number of changes that a store may make at once. */
export const changesAtOnceMax = 500;
/** Number of changes that a store may make per day after that. */
export const changesPerDayMax = 5_000;

const policy: BucketPolicy = { capacity: changesAtOnceMax, tokensPerSecond: changesPerDayMax / 86_400 };

/**
 * Limits how many forms the merchants of a store send and how often they sign in. Nearly every change is kept in a
 * history permanently, so a program with a session could fill the database.
 */
export class ChangeQuota {
  readonly #buckets: TokenBuckets;
  readonly #refusals: Counter;

  /** @param clock a monotonic clock */
  constructor({ clock, metrics }: { readonly clock: Clock; readonly metrics: Registry }) {
    this.#buckets = new TokenBuckets(clock, [policy]);
    this.#refusals = new Counter({
      name: "edge_settings_limited_total",
      help: "Forms and sign-ins of merchants that were refused because their store had made too many changes.",
      registers: [metrics],
    });
  }

  /** Counts a change of a store. @throws ServiceError `rate_limited` if the store has used up its quota */
  take(shop: string): void {
    this.#refuseFor(this.#buckets.take([shop]));
  }

  /** Runs a sign-in, and counts it if it succeeds. @throws ServiceError `rate_limited`, or the error of the sign-in */
  async signIn<T>(shop: string, open: () => Promise<T>): Promise<T> {
    this.#refuseFor(this.#buckets.wait([shop]));
    const session = await open();
    // Only now has the registry verified that the merchant is of this store.
    this.#buckets.charge([shop]);
    return session;
  }

  #refuseFor(retryAfterSeconds: number): void {
    if (retryAfterSeconds > 0) this.#refusals.inc();
    refuseIf(retryAfterSeconds, "Your store has made too many changes. Try again later.");
  }
}
