import { LRUCache } from "lru-cache";
import type { Clock } from "#shared/time/clock.ts";
import { binaryRendition, type Rendition } from "../http/rendition.ts";
import type { VerificationClient } from "../registry-client/verification-client.ts";

/** How long a cached logo is served without reading it again. A removed logo can be served for up to this time. */
const currentMs = 60_000;
// Limits the cache to 16 MB, because the registry accepts logos of at most 16 KiB.
const logosMax = 1_000;

interface Entry {
  readonly logo: Promise<Rendition>;
  readonly askedAtMs: number;
}

/** Reads logos from the registry, each at most once per minute. Requests for the same logo share one call. */
export class LogoCache {
  readonly #registry: Pick<VerificationClient, "getLogo">;
  readonly #clock: Clock;
  readonly #entries = new LRUCache<string, Entry>({ max: logosMax });

  /** @param clock a monotonic clock */
  constructor(registry: Pick<VerificationClient, "getLogo">, clock: Clock) {
    this.#registry = registry;
    this.#clock = clock;
  }

  /**
   * Returns the image of a logo.
   *
   * @throws ServiceError `not_found` for an unknown or removed logo; or another error of the registry
   */
  find(logoId: string): Promise<Rendition> {
    const nowMs = this.#clock.now();
    const entry = this.#entries.get(logoId);
    if (entry !== undefined && nowMs < entry.askedAtMs + currentMs) return entry.logo;
    const read = { logo: this.#read(logoId), askedAtMs: nowMs };
    this.#entries.set(logoId, read);
    // A failure is not remembered. A newer read may have replaced this one.
    read.logo.catch(() => {
      if (this.#entries.get(logoId) === read) this.#entries.delete(logoId);
    });
    return read.logo;
  }

  async #read(logoId: string): Promise<Rendition> {
    return binaryRendition("image/webp", Buffer.from(await this.#registry.getLogo(logoId)));
  }
}
