/** An image that pages show; its content is stored, and read, separately. */
export interface ImageReference {
  readonly id: string;
  /** In pixels. */
  readonly width: number;
  /** In pixels. */
  readonly height: number;
}

/** An image with its content. */
export interface ImageWithContent extends ImageReference {
  /** In WebP format. */
  readonly content: Uint8Array;
}

/** An image as pages load it. */
export type EncodedImage = Omit<ImageWithContent, "id">;
