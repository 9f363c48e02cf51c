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

// A random name that is unknown does not become valid, unless a backup that contains it is restored.
const unknownMs = 30_000;
const unknownMax = 20_000;

/**
 * Caches what the registry has under names that anyone can ask for, such as link tokens. Remembers unknown names for
 * half a minute. Concurrent requests for the same name share one call, until it has taken `currentMs`: what it returns
 * may no longer be current.
 */
export class LookUpCache<T extends object> {
  readonly #options: LookUpCacheOptions<T>;
  // Only what was found is stored, so that requests for unknown names evict nothing.
  readonly #entries: LRUCache<string, T>;
  readonly #unknown: LRUCache<string, true>;
  readonly #pending = new Map<string, { readonly start: number; readonly value: Promise<T> }>();

  constructor(options: LookUpCacheOptions<T>) {
    this.#options = options;
    const byClock = { perf: options.clock, ttlResolution: 0 };
    this.#entries = new LRUCache({ max: options.entriesMax, ttl: options.currentMs, ...byClock });
    this.#unknown = new LRUCache({ max: unknownMax, ttl: unknownMs, ...byClock });
  }

  /**
   * Returns what has a name.
   *
   * @param networks the client's networks; see ClientAddress.networks
   * @throws ServiceError `not_found` for an unknown name; otherwise as {@link LookUps.run}
   */
  async find(name: string, networks: readonly string[]): Promise<T> {
    const known = this.#entries.get(name);
    if (known !== undefined) return known;
    if (this.#unknown.get(name)) throw unknownLink();
    const { clock, currentMs, namesReturn = false, read, lookUps } = this.#options;
    const start = clock.now();
    const pending = this.#pending.get(name);
    if (pending !== undefined && start - pending.start < currentMs) return pending.value;
    const lookUp = { start, value: lookUps.run(networks, () => read(name)) };
    this.#pending.set(name, lookUp);
    // A look-up that took too long must not replace what a later one has found.
    const isLatest = () => this.#pending.get(name) === lookUp;
    try {
      const value = await lookUp.value;
      if (isLatest()) this.#entries.set(name, value, { start });
      return value;
    } catch (error) {
      if (isLatest() && isUnknown(error) && !namesReturn) this.#unknown.set(name, true);
      throw error;
    } finally {
      if (isLatest()) this.#pending.delete(name);
    }
  }

  /** Changes what is cached under a name, if anything is. It remains current for no longer than before. */
  update(name: string, change: (value: T) => T): void {
    const value = this.#entries.peek(name);
    if (value !== undefined) this.#entries.set(name, change(value), { noUpdateTTL: true });
  }
}
