import { LRUCache } from "lru-cache";
import type { Clock } from "#shared/time/clock.ts";
import { binaryRendition, type Rendition } from "../http/rendition.ts";
import type { VerificationClient } from "../registry-client/verification-client.ts";
import { isUnknown, type LookUps } from "./look-ups.ts";
import { unknownLink } from "./page-cache.ts";
import { UnknownNames } from "./unknown-names.ts";

interface LogoCacheOptions {
  readonly registry: Pick<VerificationClient, "getLogo">;
  /** Limits the calls to the registry. */
  readonly lookUps: Pick<LookUps, "run">;
  /** Monotonic clock. */
  readonly clock: Clock;
}

/** How long a cached logo is served before it is read again; a removed logo can be served for as long. */
const currentMs = 60_000;
// The registry accepts logos of at most 16 KiB, so the cache holds at most about 16 MB.
const logosMax = 1_000;

interface Entry {
  readonly logo: Rendition;
  readonly readAtMs: number;
}

/** Caches logos from the registry for a minute. Concurrent requests for the same logo share one call. */
export class LogoCache {
  readonly #options: LogoCacheOptions;
  readonly #entries = new LRUCache<string, Entry>({ max: logosMax });
  readonly #pending = new Map<string, Promise<Rendition>>();
  readonly #unknown: UnknownNames;

  constructor(options: LogoCacheOptions) {
    this.#options = options;
    this.#unknown = new UnknownNames(options.clock);
  }

  /**
   * Returns the image of a logo.
   *
   * @param networks the client's networks; see ClientAddress.networks
   * @throws ServiceError `not_found` for an unknown or removed logo; otherwise as {@link LookUps.run}
   */
  async find(logoId: string, networks: readonly string[]): Promise<Rendition> {
    const nowMs = this.#options.clock.now();
    const entry = this.#entries.get(logoId);
    if (entry !== undefined && nowMs < entry.readAtMs + currentMs) return entry.logo;
    if (this.#unknown.has(logoId)) throw unknownLink();
    const pending = this.#pending.get(logoId);
    if (pending !== undefined) return pending;
    const read = this.#read(logoId, networks, nowMs);
    this.#pending.set(logoId, read);
    try {
      return await read;
    } finally {
      this.#pending.delete(logoId);
    }
  }

  async #read(logoId: string, networks: readonly string[], readAtMs: number): Promise<Rendition> {
    const { registry, lookUps } = this.#options;
    try {
      const image = await lookUps.run(networks, () => registry.getLogo(logoId));
      const logo = binaryRendition("image/webp", Buffer.from(image));
      // Only images are stored, so that requests for unknown ids evict none.
      this.#entries.set(logoId, { logo, readAtMs });
      return logo;
    } catch (error) {
      if (isUnknown(error)) this.#unknown.add(logoId);
      throw error;
    }
  }
}
