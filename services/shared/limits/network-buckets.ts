import { LRUCache } from "lru-cache";
import type { Clock } from "../time/clock.ts";
import { type Bucket, type BucketPolicy, chargeToken, returnToken, takeToken } from "./token-bucket.ts";

/**
 * Token buckets for clients' networks. The first policy applies to a client's narrowest network, the next one to a
 * wider network, and so on. A wider network has more tokens, so that no single network inside it can use up all of
 * them.
 */
export class NetworkBuckets {
  readonly #clock: Clock;
  readonly #policies: readonly BucketPolicy[];
  readonly #buckets: LRUCache<string, Bucket>;

  /**
   * @param clock a monotonic clock
   * @param entriesMax maximum number of networks with a bucket; the least recently used ones are forgotten. Default:
   *   50,000
   */
  constructor(clock: Clock, policies: readonly BucketPolicy[], entriesMax = 50_000) {
    this.#clock = clock;
    this.#policies = policies;
    this.#buckets = new LRUCache({ max: entriesMax });
  }

  /**
   * Takes a token from every network, or from none.
   *
   * @param networks the client's networks, narrowest first; see networksOf
   * @returns 0, or the seconds until every network has a token
   */
  take(networks: readonly string[]): number {
    const { taken, waitSeconds } = this.#tryToTake(networks);
    // A refused request changes no bucket, so that a flood does not evict the buckets of other clients.
    if (waitSeconds === 0) for (const [network, { bucket }] of taken) this.#buckets.set(network, bucket);
    return waitSeconds;
  }

  /** Returns 0, or the seconds until every network has a token; takes none. Parameters as for {@link take}. */
  wait(networks: readonly string[]): number {
    return this.#tryToTake(networks).waitSeconds;
  }

  /** Takes a token from every network; the balance of a network without tokens becomes negative. */
  charge(networks: readonly string[]): void {
    this.#change(networks, chargeToken);
  }

  giveBack(networks: readonly string[]): void {
    this.#change(networks, returnToken);
  }

  #tryToTake(networks: readonly string[]) {
    const nowMs = this.#clock.now();
    const taken = this.#policiesOf(networks).map(
      ([network, policy]) => [network, takeToken(policy, this.#buckets.get(network), nowMs)] as const,
    );
    return { taken, waitSeconds: Math.max(0, ...taken.map(([, result]) => result.waitSeconds)) };
  }

  #change(networks: readonly string[], change: typeof returnToken): void {
    const nowMs = this.#clock.now();
    for (const [network, policy] of this.#policiesOf(networks))
      this.#buckets.set(network, change(policy, this.#buckets.get(network), nowMs));
  }

  #policiesOf(networks: readonly string[]): (readonly [network: string, policy: BucketPolicy])[] {
    return networks.flatMap((network, level) => {
      const policy = this.#policies[level];
      return policy === undefined ? [] : [[network, policy] as const];
    });
  }
}
