import type { Clock } from "#shared/time/clock.ts";
import { binaryRendition, type Rendition } from "../http/rendition.ts";
import { LookUpCache } from "./look-up-cache.ts";
import type { LookUps } from "./look-ups.ts";

interface ImageCacheOptions {
  /** Reads an image in WebP format from the registry. @throws ServiceError `not_found` for an unknown id */
  readonly read: (imageId: string) => Promise<Uint8Array>;
  /** Maximum number of cached images, whose size the registry bounds. */
  readonly imagesMax: number;
  /** Whether the id of a removed image can become known again. Default: false, because ids are random. */
  readonly idsReturn?: boolean;
  readonly lookUps: Pick<LookUps, "run">;
  /** Monotonic clock. */
  readonly clock: Clock;
}

/** Creates a cache of images. Serves an image for a minute before it is read again, so a removed one for as long. */
export function createImageCache(options: ImageCacheOptions): LookUpCache<Rendition> {
  const { read, imagesMax: entriesMax, idsReturn = false, lookUps, clock } = options;
  return new LookUpCache({
    read: async (imageId) => binaryRendition("image/webp", Buffer.from(await read(imageId))),
    currentMs: 60_000,
    entriesMax,
    namesReturn: idsReturn,
    lookUps,
    clock,
  });
}
