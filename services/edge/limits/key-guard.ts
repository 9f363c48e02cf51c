import { RecentMap } from "#shared/memory/recent-map.ts";
import type { Clock } from "#shared/time/clock.ts";

import { type Bucket, type BucketPolicy, returnToken, takeToken } from "./token-bucket.ts";

/** What to do with a request that carries a well-formed key. */
export type KeyVerdict =
  /** Ask the registry, and tell what it said. */
  | { readonly kind: "look_up"; readonly settle: (found: KeyFound) => void }
  /** The registry said not long ago that nobody has this key. */
  | { readonly kind: "unknown" }
  /** Too many unknown keys came from this client. */
  | { readonly kind: "limited"; readonly waitSeconds: number };

/** What the registry said of a key; `undecided` when it could not be asked. */
export type KeyFound = "known" | "unknown" | "undecided";

/** How the guard limits. */
export interface KeyGuardLimits {
  /** Look-ups of keys that turn out to be unknown, for each client. */
  readonly lookUps: BucketPolicy;
  /** How long the guard believes that a key is unknown. */
  readonly unknownForMs: number;
  /** How many keys known, keys unknown and clients it remembers of each at the most. */
  readonly remembered: number;
}

// A replica remembers about 20 MB at the most.
const limitsDefault: KeyGuardLimits = {
  lookUps: { capacity: 100, tokensPerSecond: 5 },
  unknownForMs: 60_000,
  remembered: 50_000,
};

/**
 * Keeps floods of well-formed keys that nobody has away from the registry. It only decides who may be looked up: whether a
 * key opens the API is the registry's decision at each request.
 *
 * A key that was found is always looked up, whatever else comes from its client: many merchants may share an address. One
 * that was not found is unknown for good, since keys are random, but believed so for a minute only: a database that is put
 * back to an earlier state brings keys back. Others cost the client a token, which it gets back when the key is found; of
 * requests that come together with a key that was not seen before only the first one does, if the others wait for it.
 */
export class KeyGuard {
  readonly #clock: Clock;
  readonly #limits: KeyGuardLimits;
  readonly #known: RecentMap<true>;
  readonly #unknownUntilMs: RecentMap<number>;
  readonly #buckets: RecentMap<Bucket>;
  readonly #underWay = new Map<string, Promise<void>>();

  constructor(clock: Clock, limits: KeyGuardLimits = limitsDefault) {
    this.#clock = clock;
    this.#limits = limits;
    this.#known = new RecentMap(limits.remembered);
    this.#unknownUntilMs = new RecentMap(limits.remembered);
    this.#buckets = new RecentMap(limits.remembered);
  }

  /** Resolves when the look-up of a key not seen before is over that is under way for another request; else at once. */
  async whenLookedUp(keySha256: Uint8Array): Promise<void> {
    await this.#underWay.get(nameOf(keySha256));
  }

  /** @param client whose request it is; see ClientAddress.group */
  judge(keySha256: Uint8Array, client: string): KeyVerdict {
    const key = nameOf(keySha256);
    if (this.#known.get(key)) return { kind: "look_up", settle: (found) => this.#settle(key, found) };
    const nowMs = this.#clock.now();
    if ((this.#unknownUntilMs.get(key) ?? 0) > nowMs) return { kind: "unknown" };
    const { lookUps } = this.#limits;
    const { bucket, waitSeconds } = takeToken(lookUps, this.#buckets.get(client), nowMs);
    this.#buckets.set(client, bucket);
    if (waitSeconds > 0) return { kind: "limited", waitSeconds };
    const { promise, resolve } = Promise.withResolvers<void>();
    if (!this.#underWay.has(key)) this.#underWay.set(key, promise);
    return {
      kind: "look_up",
      settle: (found) => {
        this.#settle(key, found);
        if (this.#underWay.get(key) === promise) this.#underWay.delete(key);
        resolve();
        if (found !== "unknown")
          this.#buckets.set(client, returnToken(lookUps, this.#buckets.get(client), this.#clock.now()));
      },
    };
  }

  #settle(key: string, found: KeyFound): void {
    if (found === "known") {
      this.#known.set(key, true);
      this.#unknownUntilMs.delete(key);
    }
    if (found === "unknown") {
      this.#known.delete(key);
      this.#unknownUntilMs.set(key, this.#clock.now() + this.#limits.unknownForMs);
    }
  }
}

function nameOf(keySha256: Uint8Array): string {
  return Buffer.from(keySha256).toString("base64");
}
