import type { ImageReference } from "#shared/images/image.ts";

/** What verification pages show of a product beyond the certificate's own data. */
export interface ProductDisplay {
  /** Product id on the storefront platform. */
  readonly productId: string;
  /** Title in the catalogue, or by which the merchant recognizes the product. */
  readonly title: string;
  /** Name of the maker or artist; may be empty. */
  readonly maker: string;
  /** Null if the product has no image. */
  readonly image: ImageReference | null;
}
