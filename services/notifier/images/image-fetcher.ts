import type { MessageInitShape } from "@bufbuild/protobuf";
import { createClient, type Transport } from "@connectrpc/connect";
import {
  ProductImageService,
  type RecordStorefrontImageRequestSchema,
  type StorefrontImageLease,
} from "#gen/registry/v1/product_image_service_pb.js";
import { type EncodedImage, encodeImage } from "#shared/images/encode-image.ts";
import { productImageTarget } from "#shared/images/product-image-target.ts";
import { Loop } from "#shared/lifecycle/loop.ts";
import type { Logger } from "#shared/observe/logger.ts";
import { reason } from "#shared/reasons/reason.ts";
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
// Of different stores. Slow servers must not keep other stores' images waiting.
const concurrencyMax = 4;

type AttemptResult = NonNullable<MessageInitShape<typeof RecordStorefrontImageRequestSchema>["result"]>;

/**
 * Fetches and converts the images of products that merchants take from their storefronts. Stores no state: if this
 * process dies, the leases expire and another notifier fetches the images.
 */
export class ImageFetcher {
  readonly #deps: ImageFetcherDeps;
  readonly #loop: Loop;
  readonly #attempts = new Set<Promise<void>>();

  constructor(deps: ImageFetcherDeps) {
    this.#deps = deps;
    const { clock, logger } = deps;
    this.#loop = new Loop({
      clock,
      step: (stopping) => this.#step(stopping),
      onFailure: (error) => logger.warn({ err: error }, "cannot lease requests for product images; retrying"),
      failurePauseMs: { first: 2_000, max: 60_000 },
    });
  }

  start(): void {
    this.#loop.start();
  }

  /** Stops claiming, and interrupts the attempts in progress, which other notifiers then make at once. */
  async stop(): Promise<void> {
    await this.#loop.stop();
    await Promise.all(this.#attempts);
  }

  async #step(stopping: AbortSignal): Promise<number> {
    await this.#deps.registryAvailable.whenOpen(stopping);
    if (stopping.aborted || this.#attempts.size >= concurrencyMax) return pollMs;
    const { lease } = await this.#client.claimStorefrontImage({});
    if (lease === undefined) return pollMs;
    const attempt = this.#attempt(lease).finally(() => {
      this.#attempts.delete(attempt);
      this.#loop.wake();
    });
    this.#attempts.add(attempt);
    return 0;
  }

  get #client() {
    return createClient(ProductImageService, this.#deps.transport);
  }

  async #attempt({ requestId, leaseToken, url }: StorefrontImageLease): Promise<void> {
    const { logger } = this.#deps;
    const record = (result: AttemptResult) => this.#client.recordStorefrontImage({ requestId, leaseToken, result });
    try {
      const { content, width, height } = await this.#fetch(requestId, url);
      await record({ case: "image", value: { content, width, height } });
    } catch (error) {
      const result = this.#resultOf(error);
      if (result?.case !== "interruption")
        logger.warn({ err: error, requestId }, "cannot take a product's image from the storefront");
      // Another error concerns the registry; the lease expires, and the image is fetched once more.
      if (result === undefined) return;
      await record(result).catch((err: unknown) =>
        logger.warn({ err, requestId }, "cannot record that an image was not fetched"),
      );
    }
  }

  #resultOf(error: unknown): AttemptResult | undefined {
    if (this.#loop.stopping.aborted) return { case: "interruption", value: {} };
    if (!(error instanceof ImageNotFetched)) return undefined;
    const failure = { reason: reasonMessage(error.reason), isTemporary: error.isTemporary };
    return { case: "failure", value: failure };
  }

  async #fetch(requestId: string, url: string): Promise<EncodedImage> {
    const { stopping } = this.#loop;
    const file = await downloadImage(url, this.#deps.connect, stopping);
    const image = await encodeImage(requestId, file, productImageTarget, stopping);
    if (typeof image !== "string") return image;
    // Whether an image takes too long depends on the machine's load.
    if (image === "costly") throw new ImageNotFetched(reason("image_costly"), true);
    if (image === "busy") throw new ImageNotFetched(reason("image_interrupted"), true);
    throw unusable();
  }
}
