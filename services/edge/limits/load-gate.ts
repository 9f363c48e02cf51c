import { LRUCache } from "lru-cache";
import type { Clock } from "#shared/time/clock.ts";

interface LoadGateBounds {
  /** Maximum number of requests in progress, of all keys together. */
  readonly totalMax: number;
  /** The bound of a key never falls below this number of requests in progress. */
  readonly perKeyMin: number;
}

/**
 * Why a request was refused. `key`: the request's key has reached its bound. `total`: the key already has at least as
 * many requests in progress as there are free places.
 */
type GateRefusal = "key" | "total";

/** How a request ended: with a decision of the registry, with `unavailable`, or because its client disconnected. */
export type GateOutcome = "decided" | "unavailable" | "left";

interface KeyBound {
  value: number;
  /** When a request of the key was last refused because of this bound, or ended with `unavailable`. */
  refusedAt: number;
}

interface Overload {
  readonly key: string;
  readonly at: number;
}

const rememberedMs = 1_000;
const rememberedKeysMax = 10_000;

/**
 * Refuses requests that the registry would very probably refuse: a refusal here costs a fraction of a call. Pure
 * bookkeeping, without queues, timers or promises.
 *
 * - Each request in progress takes one of `totalMax` places. A key may use as many places as are still free, so a flood
 *   of one key leaves half of the places to the others.
 * - When a request ends with `unavailable`, its key is bounded to half of the key's requests in progress, or to half of
 *   its bound if that is lower. Each decision of the registry raises the bound by one (AIMD, as in TCP). The bound is
 *   forgotten one second after the last refusal. A burst of an unbounded key reaches the registry, which may answer all
 *   of its requests.
 * - While requests of several keys end with `unavailable`, every other key starts with the minimum bound.
 */
export class LoadGate {
  readonly #clock: Clock;
  readonly #bounds: LoadGateBounds;
  readonly #inProgress = new Map<string, number>();
  readonly #keyBounds = new LRUCache<string, KeyBound>({ max: rememberedKeysMax });
  #total = 0;
  #lastOverload: Overload | undefined;
  /** The last overload of a key other than that of `#lastOverload`. */
  #otherOverload: Overload | undefined;

  /** @param clock a monotonic clock */
  constructor(clock: Clock, bounds: LoadGateBounds) {
    this.#clock = clock;
    this.#bounds = bounds;
  }

  /** Reserves a place, which the caller must free with {@link leave}, or returns why the request is refused. */
  enter(key: string): GateRefusal | undefined {
    const own = this.#inProgress.get(key) ?? 0;
    if (own >= this.#bounds.totalMax - this.#total) return "total";
    // No bound is lower than `perKeyMin`.
    if (own >= this.#bounds.perKeyMin) {
      const now = this.#clock.now();
      const bound = this.#boundOf(key, now);
      if (bound !== undefined && own >= bound.value) {
        bound.refusedAt = now;
        return "key";
      }
    }
    this.#inProgress.set(key, own + 1);
    this.#total++;
    return undefined;
  }

  /** Frees the place of a request that has ended, and adjusts the key's bound to the outcome. */
  leave(key: string, outcome: GateOutcome): void {
    const own = this.#inProgress.get(key);
    if (own === undefined) throw new Error("the key has no request in progress");
    if (own === 1) this.#inProgress.delete(key);
    else this.#inProgress.set(key, own - 1);
    this.#total--;
    if (outcome === "left") return;
    const bound = this.#keyBounds.get(key);
    if (outcome === "unavailable") this.#lower(key, own, bound);
    else if (bound !== undefined) bound.value++;
  }

  #lower(key: string, own: number, bound: KeyBound | undefined): void {
    const at = this.#clock.now();
    if (this.#lastOverload?.key !== key) this.#otherOverload = this.#lastOverload;
    this.#lastOverload = { key, at };
    const half = Math.floor(Math.min(own, bound?.value ?? own) / 2);
    this.#keyBounds.set(key, { value: Math.max(this.#bounds.perKeyMin, half), refusedAt: at });
  }

  #boundOf(key: string, now: number): KeyBound | undefined {
    const known = this.#keyBounds.get(key);
    if (known !== undefined && now - known.refusedAt < rememberedMs) return known;
    this.#keyBounds.delete(key);
    if (!isRecent(this.#lastOverload, now) || !isRecent(this.#otherOverload, now)) return undefined;
    const bound = { value: this.#bounds.perKeyMin, refusedAt: now };
    this.#keyBounds.set(key, bound);
    return bound;
  }
}

function isRecent(overload: Overload | undefined, now: number): boolean {
  return overload !== undefined && now - overload.at < rememberedMs;
}
