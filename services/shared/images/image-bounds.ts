interface ImageForm {
  /** Maximum width in pixels; the proportions are kept, and small images are not enlarged. */
  readonly width: number;
  /** Maximum height in pixels. */
  readonly height: number;
  /** Quality of the WebP encoding, 1 to 100. */
  readonly quality: number;
}

/** What an image is converted to. */
export interface ImageTarget {
  /** The forms to try, the best first, until one takes at most `bytesMax`. */
  readonly forms: readonly ImageForm[];
  readonly bytesMax: number;
}

/** Maximum number of pixels of an image to decode. */
export const imagePixelsMax = 24_000_000;
/** Maximum width and height of an image to decode: shrinking a long side takes much memory and time. */
export const imageSideMax = 8_192;

/** The first line that the child process writes, as JSON; the encoded image follows if there is no problem. */
export type ImageReply =
  | { readonly problem: "size" | "unreadable" }
  | { readonly width: number; readonly height: number };
