/** What verification pages show of a product beyond the certificate's own data. */
export interface ProductDisplay {
  /** Product id on the storefront platform. */
  readonly productId: string;
  /** Title in the catalogue, or by which the merchant recognizes the product. */
  readonly title: string;
  /** Name of the maker or artist; may be empty. */
  readonly maker: string;
  /** Null if the product has no image. */
  readonly image: ProductImage | null;
}

/** The image of a product; its content is read separately. */
export interface ProductImage {
  readonly id: string;
  /** In pixels. */
  readonly width: number;
  /** In pixels. */
  readonly height: number;
}

/** An image with its content. */
export interface ProductImageContent extends ProductImage {
  /** In WebP format. */
  readonly content: Uint8Array;
}
