import { LRUCache } from "lru-cache";
import { type Bucket, type BucketPolicy, returnToken, takeToken } from "#shared/limits/token-bucket.ts";
import { base64Of } from "#shared/text/base64.ts";
import type { Clock } from "#shared/time/clock.ts";

type KeyDecision =
  /** Look the key up in the registry, then call `settle` with the result. */
  | { readonly kind: "lookup"; readonly settle: (result: LookupResult) => void }
  /** The registry recently reported that the key does not exist. */
  | { readonly kind: "unknown" }
  /** The client sent too many unknown keys. */
  | { readonly kind: "limited"; readonly waitSeconds: number };

/** The result of looking up a key in the registry; `undecided` if the lookup failed. */
export type LookupResult = "known" | "unknown" | "undecided";

interface KeyGuardLimits {
  /** Limits how many unknown keys a client can have looked up. */
  readonly lookups: BucketPolicy;
  /** Lifetime of an entry in the negative cache. */
  readonly unknownTtlMs: number;
  /** Maximum number of entries in each of the three caches: known keys, unknown keys and clients. */
  readonly entriesMax: number;
}

// With these limits, the caches take at most about 20 MB per replica.
const defaultLimits: KeyGuardLimits = {
  lookups: { capacity: 100, tokensPerSecond: 5 },
  unknownTtlMs: 60_000,
  entriesMax: 50_000,
};

/**
 * Protects the registry against floods of well-formed but unknown keys. It only decides whether a key may be looked up;
 * the registry decides on each request whether the key grants access.
 *
 * - A known key is always looked up, whatever else its client sends: many merchants may share an address.
 * - An unknown key stays in a negative cache for a minute. Keys are random, so an unknown key never becomes valid
 *   later; the entry expires because a database restored from a backup may contain the key again.
 * - A key that is in neither cache costs its client one token of a token bucket. The token is returned when the key
 *   turns out to be known. Concurrent requests with the same key cost one token if they wait for the first lookup.
 */
export class KeyGuard {
  readonly #clock: Clock;
  readonly #limits: KeyGuardLimits;
  readonly #known: LRUCache<string, true>;
  readonly #unknownUntilMs: LRUCache<string, number>;
  readonly #buckets: LRUCache<string, Bucket>;
  readonly #pendingLookups = new Map<string, Promise<void>>();

  constructor(clock: Clock, limits: KeyGuardLimits = defaultLimits) {
    this.#clock = clock;
    this.#limits = limits;
    this.#known = new LRUCache({ max: limits.entriesMax });
    this.#unknownUntilMs = new LRUCache({ max: limits.entriesMax });
    this.#buckets = new LRUCache({ max: limits.entriesMax });
  }

  /** Returns the end of the first lookup of a new key, which never rejects; undefined if no request has started it. */
  pendingLookup(keySha256: Uint8Array): Promise<void> | undefined {
    return this.#pendingLookups.get(base64Of(keySha256));
  }

  /**
   * Decides whether to look the key up.
   *
   * @param client the client's rate-limit group; see ClientAddress.group
   */
  check(keySha256: Uint8Array, client: string): KeyDecision {
    const key = base64Of(keySha256);
    if (this.#known.get(key)) return { kind: "lookup", settle: (result) => this.#remember(key, result) };
    const nowMs = this.#clock.now();
    if ((this.#unknownUntilMs.get(key) ?? 0) > nowMs) return { kind: "unknown" };
    const { lookups } = this.#limits;
    const { bucket, waitSeconds } = takeToken(lookups, this.#buckets.get(client), nowMs);
    this.#buckets.set(client, bucket);
    if (waitSeconds > 0) return { kind: "limited", waitSeconds };
    const { promise, resolve } = Promise.withResolvers<void>();
    if (!this.#pendingLookups.has(key)) this.#pendingLookups.set(key, promise);
    return {
      kind: "lookup",
      settle: (result) => {
        this.#remember(key, result);
        if (this.#pendingLookups.get(key) === promise) this.#pendingLookups.delete(key);
        resolve();
        if (result !== "unknown")
          this.#buckets.set(client, returnToken(lookups, this.#buckets.get(client), this.#clock.now()));
      },
    };
  }

  #remember(key: string, result: LookupResult): void {
    if (result === "known") {
      this.#known.set(key, true);
      this.#unknownUntilMs.delete(key);
    }
    if (result === "unknown") {
      this.#known.delete(key);
      this.#unknownUntilMs.set(key, this.#clock.now() + this.#limits.unknownTtlMs);
    }
  }
}
