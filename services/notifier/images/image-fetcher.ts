import type { MessageInitShape } from "@bufbuild/protobuf";
import { createClient, type Transport } from "@connectrpc/connect";
import {
  ProductImageService,
  type RecordStorefrontImageRequestSchema,
  type StorefrontImageLease,
} from "#gen/registry/v1/product_image_service_pb.js";
import { isUnavailable } from "#shared/errors/service-error.ts";
import { encodeImage } from "#shared/images/encode-image.ts";
import type { EncodedImage } from "#shared/images/image.ts";
import { productImageTarget } from "#shared/images/product-image-target.ts";
import { LeasedAttempts } from "#shared/lifecycle/leased-attempts.ts";
import type { Logger } from "#shared/observe/logger.ts";
import { reason } from "#shared/reasons/reason.ts";
import { retryUntil } from "#shared/retry/retry-until.ts";
import { toServiceError } from "#shared/rpc/error-conversion.ts";
import { reasonMessage } from "#shared/rpc/reason-messages.ts";
import type { Clock } from "#shared/time/clock.ts";
import type { Latch } from "../latch.ts";
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
/** Images that a notifier fetches at a time. Slow servers must not keep other stores' images waiting. */
export const fetchedImagesMax = 4;
// For longer than a registry restarts, and well within the lease: if it expires, this counts as a notifier's death.
const recordPolicy = {
  isFinal: (error: unknown) => !isOutage(error),
  attemptsMax: 6,
  pauseMs: { first: 500, max: 8_000 },
};

type AttemptResult = NonNullable<MessageInitShape<typeof RecordStorefrontImageRequestSchema>["result"]>;

const interruption: AttemptResult = { case: "interruption", value: {} };

/**
 * Fetches and converts the images of products that merchants take from their storefronts. Stopping it interrupts the
 * attempts in progress, which other notifiers then make at once.
 */
export function createImageFetcher({ transport, connect, registryAvailable, clock, logger }: ImageFetcherDeps) {
  const client = createClient(ProductImageService, transport);
  const fetchImage = async (
    { requestId, url }: StorefrontImageLease,
    stopping: AbortSignal,
  ): Promise<AttemptResult | undefined> => {
    try {
      const file = await downloadImage(url, connect, stopping);
      const { content, width, height } = await encode(requestId, file, stopping);
      return { case: "image", value: { content, width, height } };
    } catch (error) {
      if (stopping.aborted) return interruption;
      logger.warn({ err: error, requestId }, "cannot take a product's image from the storefront");
      // After an unknown error, the lease expires: some attempts later, the request has failed.
      if (!(error instanceof ImageNotFetched)) return undefined;
      const failure = { reason: reasonMessage(error.reason), isTemporary: error.isTemporary };
      return { case: "failure", value: failure };
    }
  };
  const attempt = async (lease: StorefrontImageLease, stopping: AbortSignal) => {
    const { requestId, leaseToken } = lease;
    const record = (result: AttemptResult) => client.recordStorefrontImage({ requestId, leaseToken, result });
    const result = await fetchImage(lease, stopping);
    if (result === undefined) return;
    try {
      await retryUntil(() => record(result), { ...recordPolicy, clock, signal: stopping });
    } catch (error) {
      logger.warn({ err: error, requestId }, "cannot record the result of fetching a product's image");
      // Released after another error, the image would be fetched again and again.
      if (!isOutage(error)) return;
      await record(interruption).catch((err: unknown) =>
        logger.warn({ err, requestId }, "cannot record that fetching a product's image was interrupted"),
      );
    }
  };
  return new LeasedAttempts({
    claim: async (_countMax, stopping) => {
      await registryAvailable.whenOpen(stopping);
      if (stopping.aborted) return [];
      const { lease } = await client.claimStorefrontImage({});
      return lease === undefined ? [] : [lease];
    },
    attempt,
    onFailure: (error) => logger.warn({ err: error }, "cannot lease requests for product images; retrying"),
    failurePauseMs: { first: 2_000, max: 60_000 },
    concurrencyMax: fetchedImagesMax,
    pollMs,
    clock,
  });
}

function isOutage(error: unknown): boolean {
  return isUnavailable(toServiceError(error));
}

async function encode(requestId: string, file: Uint8Array, stopping: AbortSignal): Promise<EncodedImage> {
  const image = await encodeImage(requestId, file, productImageTarget, stopping);
  if (typeof image !== "string") return image;
  // Whether an image takes too long depends on the machine's load.
  if (image === "costly") throw new ImageNotFetched(reason("image_costly"), true);
  if (image === "busy") throw new ImageNotFetched(reason("image_interrupted"), true);
  throw unusable();
}
