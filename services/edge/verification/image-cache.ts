import { LRUCache } from "lru-cache";
import type { Clock } from "#shared/time/clock.ts";
import { binaryRendition, type Rendition } from "../http/rendition.ts";
import { isUnknown, type LookUps } from "./look-ups.ts";
import { unknownLink } from "./page-cache.ts";
import { UnknownNames } from "./unknown-names.ts";

interface ImageCacheOptions {
  /** Reads an image in WebP format from the registry. @throws ServiceError `not_found` for an unknown id */
  readonly read: (imageId: string) => Promise<Uint8Array>;
  /** Maximum number of cached images, whose size the registry bounds. */
  readonly imagesMax: number;
  /** Whether an unknown id can become known, so that it is not remembered. Default: false, because ids are random. */
  readonly idsReturn?: boolean;
  /** Limits the calls to the registry. */
  readonly lookUps: Pick<LookUps, "run">;
  /** Monotonic clock. */
  readonly clock: Clock;
}

/** How long a cached image is served before it is read again; a removed image can be served for as long. */
const currentMs = 60_000;

interface Entry {
  readonly image: Rendition;
  readonly readAtMs: number;
}

/** Caches images from the registry for a minute. Concurrent requests for the same image share one call. */
export class ImageCache {
  readonly #options: ImageCacheOptions;
  readonly #entries: LRUCache<string, Entry>;
  readonly #pending = new Map<string, Promise<Rendition>>();
  readonly #unknown: UnknownNames;

  constructor(options: ImageCacheOptions) {
    this.#options = options;
    this.#entries = new LRUCache({ max: options.imagesMax });
    this.#unknown = new UnknownNames(options.clock);
  }

  /**
   * Returns an image.
   *
   * @param networks the client's networks; see ClientAddress.networks
   * @throws ServiceError `not_found` for an unknown or removed image; otherwise as {@link LookUps.run}
   */
  async find(imageId: string, networks: readonly string[]): Promise<Rendition> {
    const nowMs = this.#options.clock.now();
    const entry = this.#entries.get(imageId);
    if (entry !== undefined && nowMs < entry.readAtMs + currentMs) return entry.image;
    if (this.#unknown.has(imageId)) throw unknownLink();
    const pending = this.#pending.get(imageId);
    if (pending !== undefined) return pending;
    const read = this.#read(imageId, networks, nowMs);
    this.#pending.set(imageId, read);
    try {
      return await read;
    } finally {
      this.#pending.delete(imageId);
    }
  }

  async #read(imageId: string, networks: readonly string[], readAtMs: number): Promise<Rendition> {
    const { read, lookUps, idsReturn = false } = this.#options;
    try {
      const content = await lookUps.run(networks, () => read(imageId));
      const image = binaryRendition("image/webp", Buffer.from(content));
      // Only images are stored, so that requests for unknown ids evict none.
      this.#entries.set(imageId, { image, readAtMs });
      return image;
    } catch (error) {
      if (isUnknown(error) && !idsReturn) this.#unknown.add(imageId);
      throw error;
    }
  }
}
