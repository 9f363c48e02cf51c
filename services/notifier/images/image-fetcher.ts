import type { MessageInitShape } from "@bufbuild/protobuf";
import { createClient, type Transport } from "@connectrpc/connect";
import {
  ProductImageService,
  type RecordStorefrontImageRequestSchema,
  type StorefrontImageLease,
} from "#gen/registry/v1/product_image_service_pb.js";
import { type EncodedImage, encodeImage } from "#shared/images/encode-image.ts";
import { productImageTarget } from "#shared/images/product-image-target.ts";
import type { Logger } from "#shared/observe/logger.ts";
import { reason } from "#shared/reasons/reason.ts";
import { reasonMessage } from "#shared/rpc/reason-messages.ts";
import type { Clock } from "#shared/time/clock.ts";
import type { Latch } from "../latch.ts";
import { LeasedAttempts } from "../leased-attempts.ts";
import type { ConnectOptions } from "../webhook/open-connection.ts";
import { downloadImage, ImageNotFetched, unusable } from "./download-image.ts";

interface ImageFetcherDeps {
  /** Connection to the registry. */
  readonly transport: Transport;
  readonly connect: ConnectOptions;
  /** Open while the registry is available. */
  readonly registryAvailable: Latch;
  readonly clock: Clock;
  readonly logger: Logger;
}

// A merchant waits for the image, but most claims find none.
const pollMs = 2_000;
// Of different stores. Slow servers must not keep other stores' images waiting.
const concurrencyMax = 4;

type AttemptResult = NonNullable<MessageInitShape<typeof RecordStorefrontImageRequestSchema>["result"]>;

/**
 * Fetches and converts the images of products that merchants take from their storefronts. Stopping it interrupts the
 * attempts in progress, which other notifiers then make at once.
 */
export function createImageFetcher({ transport, connect, registryAvailable, clock, logger }: ImageFetcherDeps) {
  const client = createClient(ProductImageService, transport);
  const attempt = async ({ requestId, leaseToken, url }: StorefrontImageLease, stopping: AbortSignal) => {
    const record = (result: AttemptResult) => client.recordStorefrontImage({ requestId, leaseToken, result });
    try {
      const file = await downloadImage(url, connect, stopping);
      const { content, width, height } = await encode(requestId, file, stopping);
      await record({ case: "image", value: { content, width, height } });
    } catch (error) {
      const result = resultOf(error, stopping);
      if (result?.case !== "interruption")
        logger.warn({ err: error, requestId }, "cannot take a product's image from the storefront");
      // Another error concerns the registry; the lease expires, and the image is fetched once more.
      if (result === undefined) return;
      await record(result).catch((err: unknown) =>
        logger.warn({ err, requestId }, "cannot record that an image was not fetched"),
      );
    }
  };
  return new LeasedAttempts({
    claim: async () => {
      const { lease } = await client.claimStorefrontImage({});
      return lease === undefined ? [] : [lease];
    },
    attempt,
    onFailure: (error) => logger.warn({ err: error }, "cannot lease requests for product images; retrying"),
    failurePauseMs: { first: 2_000, max: 60_000 },
    concurrencyMax,
    pollMs,
    registryAvailable,
    clock,
  });
}

function resultOf(error: unknown, stopping: AbortSignal): AttemptResult | undefined {
  if (stopping.aborted) return { case: "interruption", value: {} };
  if (!(error instanceof ImageNotFetched)) return undefined;
  const failure = { reason: reasonMessage(error.reason), isTemporary: error.isTemporary };
  return { case: "failure", value: failure };
}

async function encode(requestId: string, file: Uint8Array, stopping: AbortSignal): Promise<EncodedImage> {
  const image = await encodeImage(requestId, file, productImageTarget, stopping);
  if (typeof image !== "string") return image;
  // Whether an image takes too long depends on the machine's load.
  if (image === "costly") throw new ImageNotFetched(reason("image_costly"), true);
  if (image === "busy") throw new ImageNotFetched(reason("image_interrupted"), true);
  throw unusable();
}
