import type { ImageTarget } from "./image-bounds.ts";

/**
 * What the image of a product is converted to. A verification page with an image must load less than 100 kB and paint
 * it within 900 ms on a slow phone. It shows an image at 416 CSS pixels at most.
 */
export const productImageTarget: ImageTarget = {
  bytesMax: 36 * 1_024,
  forms: [
    { width: 832, height: 832, quality: 82 },
    { width: 832, height: 832, quality: 66 },
    { width: 720, height: 720, quality: 60 },
    { width: 600, height: 600, quality: 52 },
    { width: 480, height: 480, quality: 40 },
    { width: 320, height: 320, quality: 30 },
  ],
};
