import { LRUCache } from "lru-cache";
import type { Clock } from "#shared/time/clock.ts";
import { isUnknown, type LookUps, unknownLink } from "./look-ups.ts";

interface LookUpCacheOptions<T> {
  /** Reads what has a name. @throws ServiceError `not_found` for an unknown name */
  readonly read: (name: string) => Promise<T>;
  /** How long something counts as current. Older content is read again, so that changes become visible. */
  readonly currentMs: number;
  readonly entriesMax: number;
  /** Whether an unknown name can become known, so that it is not remembered. Default: false, as names are random. */
  readonly namesReturn?: boolean;
  /** Limits the calls to the registry. */
  readonly lookUps: Pick<LookUps, "run">;
  /** Monotonic clock. */
  readonly clock: Clock;
}

interface Entry<T> {
  readonly value: T;
  readonly readAtMs: number;
}

// A random name that is unknown does not become valid, unless a backup that contains it is restored.
const unknownMs = 30_000;
const unknownMax = 20_000;

/**
 * Caches what the registry has under names that anyone can ask for, such as link tokens. Remembers unknown names for
 * half a minute. Concurrent requests for the same name share one call.
 */
export class LookUpCache<T> {
  readonly #options: LookUpCacheOptions<T>;
  // Only what was found is stored, so that requests for unknown names evict nothing.
  readonly #entries: LRUCache<string, Entry<T>>;
  readonly #unknownUntilMs = new LRUCache<string, number>({ max: unknownMax });
  readonly #pending = new Map<string, Promise<T>>();

  constructor(options: LookUpCacheOptions<T>) {
    this.#options = options;
    this.#entries = new LRUCache({ max: options.entriesMax });
  }

  /**
   * Returns what has a name.
   *
   * @param networks the client's networks; see ClientAddress.networks
   * @throws ServiceError `not_found` for an unknown name; otherwise as {@link LookUps.run}
   */
  async find(name: string, networks: readonly string[]): Promise<T> {
    const { clock, currentMs } = this.#options;
    const nowMs = clock.now();
    const entry = this.#entries.get(name);
    if (entry !== undefined && nowMs < entry.readAtMs + currentMs) return entry.value;
    if ((this.#unknownUntilMs.get(name) ?? Number.NEGATIVE_INFINITY) > nowMs) throw unknownLink();
    const pending = this.#pending.get(name);
    if (pending !== undefined) return pending;
    const lookUp = this.#lookUp(name, networks, nowMs);
    this.#pending.set(name, lookUp);
    try {
      return await lookUp;
    } finally {
      this.#pending.delete(name);
    }
  }

  /** Changes what is cached under a name, if anything is. It remains current for no longer than before. */
  update(name: string, change: (value: T) => T): void {
    const entry = this.#entries.peek(name);
    if (entry !== undefined) this.#entries.set(name, { value: change(entry.value), readAtMs: entry.readAtMs });
  }

  async #lookUp(name: string, networks: readonly string[], readAtMs: number): Promise<T> {
    const { read, lookUps, clock, namesReturn = false } = this.#options;
    try {
      const value = await lookUps.run(networks, () => read(name));
      this.#entries.set(name, { value, readAtMs });
      return value;
    } catch (error) {
      if (isUnknown(error) && !namesReturn) this.#unknownUntilMs.set(name, clock.now() + unknownMs);
      throw error;
    }
  }
}
