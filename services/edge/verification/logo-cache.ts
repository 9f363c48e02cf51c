import { LRUCache } from "lru-cache";
import type { Clock } from "#shared/time/clock.ts";
import { binaryRendition, type Rendition } from "../http/rendition.ts";
import type { VerificationClient } from "../registry-client/verification-client.ts";

/** How long a logo counts as current: a removed one is no longer served after this time. */
const currentMs = 60_000;
// The registry accepts logos of at most 16 KiB.
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

  /** @param clock monotonic */
  constructor(registry: Pick<VerificationClient, "getLogo">, clock: Clock) {
    this.#registry = registry;
    this.#clock = clock;
  }

  /** Returns the image of a logo. @throws ServiceError `not_found` for an unknown or removed logo; `unavailable` */
  find(logoId: string): Promise<Rendition> {
    const nowMs = this.#clock.now();
    const entry = this.#entries.get(logoId);
    if (entry !== undefined && nowMs < entry.askedAtMs + currentMs) return entry.logo;
    const logo = this.#read(logoId);
    this.#entries.set(logoId, { logo, askedAtMs: nowMs });
    return logo;
  }

  async #read(logoId: string): Promise<Rendition> {
    try {
      return binaryRendition("image/webp", Buffer.from(await this.#registry.getLogo(logoId)));
    } catch (error) {
      this.#entries.delete(logoId);
      throw error;
    }
  }
}
