import { ProductImageService } from "#gen/registry/v1/product_image_service_pb.js";
import { badRequest, ServiceError } from "#shared/errors/service-error.ts";
import { reason } from "#shared/reasons/reason.ts";
import { reasonMessage, receivedReason } from "#shared/rpc/reason-messages.ts";
import { textLimits } from "#shared/text/text-limits.ts";
import type { StorefrontImages } from "../storefront/storefront-images.ts";
import { productImageOf } from "../stores/set-product-display.ts";
import { checkText } from "../values/text-rules.ts";
import { storeAndActorOf, storeOf } from "./call-scope.ts";
import { type OfferedService, offer } from "./offered-service.ts";

/** Pause before another attempt to fetch an image, in milliseconds. */
const retryPauseMs = 10_000;

/** Implements ProductImageService: translates between its messages and the domain. */
export function productImageService({ images }: { readonly images: StorefrontImages }): OfferedService {
  return offer(ProductImageService, {
    async getStorefrontImage({ productId }, context) {
      const { isKnown, isRequested, problem } = await images.find(storeOf(context), productId);
      const message = reasonMessage(problem);
      return { isKnown, isRequested, ...(message && { problem: message }) };
    },

    async takeStorefrontImage({ productId, title }, context) {
      checkText("product_id", productId, { ...textLimits.productId, min: 1 });
      checkText("title", title, textLimits.productTitle);
      await images.request({ ...storeAndActorOf(context), productId, title });
      return {};
    },

    async claimStorefrontImage() {
      const claim = await images.claim();
      return claim === undefined ? {} : { lease: { requestId: claim.id, leaseToken: claim.token, url: claim.url } };
    },

    async recordStorefrontImage({ requestId: id, leaseToken: token, result }) {
      const claim = { id, token };
      switch (result.case) {
        case "image":
          await complete(images, claim, result.value);
          return {};
        case "failure": {
          const problem = receivedReason(result.value.reason);
          if (problem === undefined) throw badRequest("failure.reason", "is missing");
          if (result.value.isTemporary) await images.retry(claim, retryPauseMs, problem);
          else await images.fail(claim, problem);
          return {};
        }
        case "interruption":
          await images.release(claim);
          return {};
        case undefined:
          throw badRequest("result", "is missing");
      }
    },
  });
}

type Claim = Parameters<StorefrontImages["complete"]>[0];

async function complete(
  images: StorefrontImages,
  claim: Claim,
  image: Parameters<typeof productImageOf>[2],
): Promise<void> {
  try {
    await images.complete(claim, (storeId, productId) => productImageOf(storeId, productId, image));
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    // The store has too many products with an image; or a notifier of another version made the image too large.
    if (error.code === "failed_precondition" && error.why !== undefined) await images.fail(claim, error.why);
    else if (error.code === "bad_request") await images.fail(claim, reason("image_unusable"));
    else throw error;
  }
}
