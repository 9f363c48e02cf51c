/** A logo as verification pages load it. */
export interface EncodedLogo {
  /** In WebP format. */
  readonly content: Uint8Array;
  /** In pixels. */
  readonly width: number;
  /** In pixels. */
  readonly height: number;
}

/** Why an image is not usable as a logo. */
export type LogoProblem = "format" | "size" | "unreadable";

/** Maximum size of an uploaded logo, in bytes. */
export const logoFileBytesMax = 5 * 1_024 * 1_024;

// A verification page must load less than 60 kB. Pages show a logo at half its width, so that it is sharp on dense
// screens.
const encodedBytesMax = 12 * 1_024;
const attempts = [
  { width: 480, height: 176, quality: 86 },
  { width: 480, height: 176, quality: 60 },
  { width: 320, height: 120, quality: 60 },
  { width: 200, height: 80, quality: 50 },
] as const;
const pixelsMax = 24_000_000;

// The first bytes of PNG, JPEG and WebP files, in hexadecimal. SVG is not accepted, because it can contain scripts.
const signatures: readonly RegExp[] = [/^89504e470d0a1a0a/, /^ffd8ff/, /^52494646.{8}57454250/];
const loaders = ["Jpeg", "Png", "Webp"].map((format) => `VipsForeignLoad${format}Buffer`);

let isEncoding = false;

/**
 * Converts an uploaded image to a small WebP without metadata. Recognizes the format by the content of the file, not by
 * its name. Browsers receive only the new encoding, never the uploaded bytes.
 *
 * @returns the logo, or why the image is not usable; undefined while another image is being converted
 */
export async function encodeLogo(image: Buffer): Promise<EncodedLogo | LogoProblem | undefined> {
  const start = image.toString("hex", 0, 12);
  if (!signatures.some((signature) => signature.test(start))) return "format";
  if (isEncoding) return undefined;
  isEncoding = true;
  try {
    return await encode(image);
  } finally {
    isEncoding = false;
  }
}

async function encode(image: Buffer): Promise<EncodedLogo | LogoProblem> {
  // Loaded on first use: loading the library takes time and memory, and most edges never convert a logo.
  const { default: sharp } = await import("sharp");
  sharp.concurrency(1);
  sharp.cache(false);
  sharp.block({ operation: ["VipsForeignLoad"] });
  sharp.unblock({ operation: loaders });
  try {
    const { width = 0, height = 0 } = await sharp(image).metadata();
    if (width * height > pixelsMax) return "size";
    for (const { quality, ...box } of attempts) {
      const { data, info } = await sharp(image, { limitInputPixels: pixelsMax })
        .autoOrient()
        .resize({ ...box, fit: "inside", withoutEnlargement: true })
        .webp({ quality })
        .toBuffer({ resolveWithObject: true });
      if (data.length <= encodedBytesMax) return { content: data, width: info.width, height: info.height };
    }
    return "size";
  } catch {
    return "unreadable";
  }
}
