import { LRUCache } from "lru-cache";
import type { Clock } from "../time/clock.ts";
import { type Bucket, type BucketPolicy, chargeToken, returnToken, takeToken } from "./token-bucket.ts";

/**
 * Token buckets by key, such as a store, or the networks of a client, narrowest first (see networksOf). The first
 * policy applies to the first of a caller's keys, the next one to the next, and so on. A wider network has more tokens,
 * so that no single network inside it can use up all of them.
 */
export class TokenBuckets {
  readonly #clock: Clock;
  readonly #policies: readonly BucketPolicy[];
  readonly #buckets: LRUCache<string, Bucket>;

  /**
   * @param clock a monotonic clock
   * @param entriesMax maximum number of keys with a bucket; the least recently used ones are forgotten. Default: 50,000
   */
  constructor(clock: Clock, policies: readonly BucketPolicy[], entriesMax = 50_000) {
    this.#clock = clock;
    this.#policies = policies;
    this.#buckets = new LRUCache({ max: entriesMax });
  }

  /**
   * Takes a token for every key, or for none.
   *
   * @returns 0, or the seconds until every key has a token
   */
  take(keys: readonly string[]): number {
    const { taken, waitSeconds } = this.#tryToTake(keys);
    // A refused request changes no bucket, so that a flood does not evict the buckets of other clients.
    if (waitSeconds === 0) for (const [key, { bucket }] of taken) this.#buckets.set(key, bucket);
    return waitSeconds;
  }

  /** Returns 0, or the seconds until every key has a token; takes none. */
  wait(keys: readonly string[]): number {
    return this.#tryToTake(keys).waitSeconds;
  }

  /** Takes a token for every key; the balance of a key without tokens becomes negative. */
  charge(keys: readonly string[]): void {
    this.#change(keys, chargeToken);
  }

  giveBack(keys: readonly string[]): void {
    this.#change(keys, returnToken);
  }

  #tryToTake(keys: readonly string[]) {
    const nowMs = this.#clock.now();
    const taken = this.#policiesOf(keys).map(
      ([key, policy]) => [key, takeToken(policy, this.#buckets.get(key), nowMs)] as const,
    );
    return { taken, waitSeconds: Math.max(0, ...taken.map(([, result]) => result.waitSeconds)) };
  }

  #change(keys: readonly string[], change: typeof returnToken): void {
    const nowMs = this.#clock.now();
    for (const [key, policy] of this.#policiesOf(keys))
      this.#buckets.set(key, change(policy, this.#buckets.get(key), nowMs));
  }

  #policiesOf(keys: readonly string[]): (readonly [key: string, policy: BucketPolicy])[] {
    return keys.flatMap((key, level) => {
      const policy = this.#policies[level];
      return policy === undefined ? [] : [[key, policy] as const];
    });
  }
}
