import type { ImageWithContent } from "#shared/images/image.ts";
import type { Reason } from "#shared/reasons/reason.ts";
import type { WorkClaim } from "../leases/leased-queue.ts";

/** Maximum number of a store's requested images that wait. */
export const imageRequestsMax = 20;

/** A request ends after this many failed attempts, or after this many in a row that no notifier survived. */
export const imageAttemptsMax = 3;

/** What is known of the storefront's image of a product. */
export interface StorefrontImage {
  /** Whether the platform has sent an image. */
  readonly isKnown: boolean;
  readonly isRequested: boolean;
  /** Why the last request failed; undefined if it did not. */
  readonly problem: Reason | undefined;
}

/** A merchant's request for a product's image. */
export interface ImageRequest {
  readonly storeId: string;
  readonly productId: string;
  /** Title by which the merchant recognizes the product. */
  readonly title: string;
  readonly actor: string;
  /** Token hash of the merchant's session; a revoked session requests nothing. */
  readonly session?: string | undefined;
}

/** A request that was claimed for one attempt. */
export interface ImageClaim extends WorkClaim {
  readonly url: string;
}

/** Storage of merchants' requests for the storefront's images. Their times are the database's. */
export interface StorefrontImages {
  find(storeId: string, productId: string): Promise<StorefrontImage>;
  /**
   * Requests an image; does nothing if it has been requested already.
   *
   * @throws ServiceError `failed_precondition` if the image is unknown or {@link imageRequestsMax} requests wait
   */
  request(request: ImageRequest): Promise<void>;
  /**
   * Claims the request that has waited longest, normally of a store without a claimed one: two replicas that claim at
   * the same time may claim requests of one store. Undefined if there is none.
   */
  claim(): Promise<ImageClaim | undefined>;
  /**
   * Sets the image of the product of a claimed request, and ends the request, in one transaction.
   *
   * @param imageOf creates the image; throws ServiceError `bad_request` if it is invalid
   */
  complete(claim: WorkClaim, imageOf: (storeId: string, productId: string) => ImageWithContent): Promise<void>;
  /** Makes a claimed request due again after a time in milliseconds, or ends it after too many failures. */
  retry(claim: WorkClaim, afterMs: number, problem: Reason): Promise<void>;
  /** Makes a claimed request due again at once, because the attempt was interrupted. */
  release(claim: WorkClaim): Promise<void>;
  /** Ends a claimed request that failed for good. */
  fail(claim: WorkClaim, problem: Reason): Promise<void>;
}
