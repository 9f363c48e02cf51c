import { LRUCache } from "lru-cache";
import type { BucketPolicy } from "#shared/limits/token-bucket.ts";
import { TokenBuckets } from "#shared/limits/token-buckets.ts";
import { base64Of } from "#shared/text/base64.ts";
import type { Clock } from "#shared/time/clock.ts";

type KeyDecision =
  /** Look the key up in the registry, then call `settle` with the result. */
  | { readonly kind: "lookup"; readonly settle: (result: LookupResult) => void }
  /** The registry recently reported that the key is unknown. */
  | { readonly kind: "unknown" }
  /** The client sent too many unknown keys. */
  | { readonly kind: "limited"; readonly waitSeconds: number };

/**
 * The result of looking up a key in the registry; `undecided` if the lookup failed, `left` if it failed after its
 * client had left.
 */
export type LookupResult = "known" | "unknown" | "undecided" | "left";

interface KeyGuardLimits {
  /** Limits how many unknown keys may be looked up; see {@link TokenBuckets}. */
  readonly lookups: readonly BucketPolicy[];
  /** Lifetime of an entry in the negative cache. */
  readonly unknownTtlMs: number;
  /** How long a key counts as known after it was last found valid. */
  readonly knownTtlMs: number;
  readonly knownKeysMax: number;
  /** Maximum number of entries in the negative cache, and also of networks with a token bucket. */
  readonly entriesMax: number;
}

/**
 * How long a key is exempt from the limits after any replica has found it valid: an hour more than a day, so that the
 * key of a daily job stays exempt. A key loaded at startup is exempt for this long after startup, because the registry
 * does not state when the key was last used.
 */
export const knownKeyTtlMs = 25 * 3_600_000;

/** The limits of a replica, whose caches take at most about 35 MB. */
export const keyGuardLimits: KeyGuardLimits = {
  lookups: [
    { capacity: 100, tokensPerSecond: 5 },
    { capacity: 150, tokensPerSecond: 7 },
    { capacity: 200, tokensPerSecond: 10 },
  ],
  unknownTtlMs: 60_000,
  knownTtlMs: knownKeyTtlMs,
  knownKeysMax: 100_000,
  entriesMax: 50_000,
};

/**
 * Protects the registry against floods of well-formed but unknown keys. The guard only decides whether a key may be
 * looked up; the registry decides on each request whether the key grants access.
 *
 * - A known key is always looked up, whatever else its client sends: many merchants may share an address.
 * - An unknown key stays in a negative cache for a minute. Keys are random, so an unknown key never becomes valid
 *   later; the entry expires because a database restored from a backup may contain the key again.
 * - A key that is in neither cache costs one token from the bucket of each of its client's networks. The tokens are
 *   returned unless the registry reports that the key is unknown, or the client leaves before: it could otherwise have
 *   any number of keys looked up. Concurrent requests with the same key pay only once if they wait for the first
 *   lookup.
 * - Clients share no common budget, because one client could use it up and so lock out all new keys.
 */
export class KeyGuard {
  readonly #known: LRUCache<string, true>;
  readonly #unknown: LRUCache<string, true>;
  readonly #buckets: TokenBuckets;
  readonly #pendingLookups = new Map<string, Promise<void>>();

  /** @param clock a monotonic clock */
  constructor(clock: Clock, limits: KeyGuardLimits = keyGuardLimits) {
    const byClock = { perf: clock, ttlResolution: 0 };
    this.#known = new LRUCache({ max: limits.knownKeysMax, ttl: limits.knownTtlMs, ...byClock });
    this.#unknown = new LRUCache({ max: limits.entriesMax, ttl: limits.unknownTtlMs, ...byClock });
    this.#buckets = new TokenBuckets(clock, limits.lookups, limits.entriesMax);
  }

  /** Records keys that any replica has recently found valid. */
  addKnown(keys: Iterable<Uint8Array>): void {
    for (const keySha256 of keys) this.#remember(base64Of(keySha256), "known");
  }

  /**
   * Returns a promise that resolves when a new key's first lookup ends; undefined if none is in progress. The promise
   * never rejects.
   *
   * @param key the SHA-256 of the key, encoded by {@link base64Of}
   */
  pendingLookup(key: string): Promise<void> | undefined {
    return this.#pendingLookups.get(key);
  }

  /**
   * Decides whether to look the key up.
   *
   * @param key the SHA-256 of the key, encoded by {@link base64Of}
   * @param networks the client's networks, narrowest first; see ClientAddress.networks
   */
  check(key: string, networks: readonly string[]): KeyDecision {
    if (this.#known.get(key)) return { kind: "lookup", settle: (result) => this.#remember(key, result) };
    if (this.#unknown.get(key)) return { kind: "unknown" };
    const waitSeconds = this.#buckets.take(networks);
    if (waitSeconds > 0) return { kind: "limited", waitSeconds };
    const { promise, resolve } = Promise.withResolvers<void>();
    if (!this.#pendingLookups.has(key)) this.#pendingLookups.set(key, promise);
    return {
      kind: "lookup",
      settle: (result) => {
        this.#remember(key, result);
        if (this.#pendingLookups.get(key) === promise) this.#pendingLookups.delete(key);
        resolve();
        if (result === "known" || result === "undecided") this.#buckets.giveBack(networks);
      },
    };
  }

  #remember(key: string, result: LookupResult): void {
    if (result === "known") {
      this.#known.set(key, true);
      this.#unknown.delete(key);
    }
    if (result === "unknown") {
      this.#known.delete(key);
      this.#unknown.set(key, true);
    }
  }
}
