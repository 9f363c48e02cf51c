/** An image that verification pages show; its content is stored, and read, separately. */
export interface StoredImage {
  readonly id: string;
  /** In pixels. */
  readonly width: number;
  /** In pixels. */
  readonly height: number;
}

/** An image with its content. */
export interface ImageWithContent extends StoredImage {
  /** In WebP format. */
  readonly content: Uint8Array;
}
