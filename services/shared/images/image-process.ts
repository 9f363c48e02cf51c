/**
 * The program of the child process that decodes an image: `node image-process.ts <ImageTarget as JSON>`. Reads the
 * image from standard input; writes an {@link ImageReply} on one line, and then the image as WebP without metadata, to
 * standard output.
 */
import { buffer } from "node:stream/consumers";
import sharp from "sharp";
import { type ImageReply, type ImageTarget, imagePixelsMax, imageSideMax } from "./image-bounds.ts";

const loaders = ["Jpeg", "Png", "Webp"].map((format) => `VipsForeignLoad${format}Buffer`);

sharp.concurrency(1);
sharp.cache(false);
sharp.block({ operation: ["VipsForeignLoad"] });
sharp.unblock({ operation: loaders });

async function encode(image: Buffer, { forms, bytesMax }: ImageTarget): Promise<[ImageReply, Buffer?]> {
  const { width: sourceWidth, height: sourceHeight } = await sharp(image).metadata();
  if (Math.max(sourceWidth, sourceHeight) > imageSideMax || sourceWidth * sourceHeight > imagePixelsMax)
    return [{ problem: "size" }];
  const [first, ...others] = forms;
  if (first === undefined) return [{ problem: "size" }];
  const fit = "inside";
  const withoutEnlargement = true;
  // Decodes once: the other forms are made from the pixels of the first.
  const { data, info } = await sharp(image, { limitInputPixels: imagePixelsMax })
    .autoOrient()
    .resize({ width: first.width, height: first.height, fit, withoutEnlargement })
    .toColourspace("srgb")
    .raw()
    .toBuffer({ resolveWithObject: true });
  const raw = { width: info.width, height: info.height, channels: info.channels };
  for (const { width, height, quality } of [first, ...others]) {
    const encoded = await sharp(data, { raw })
      .resize({ width, height, fit, withoutEnlargement })
      .webp({ quality })
      .toBuffer({ resolveWithObject: true });
    if (encoded.data.length <= bytesMax)
      return [{ width: encoded.info.width, height: encoded.info.height }, encoded.data];
  }
  return [{ problem: "size" }];
}

const target: ImageTarget = JSON.parse(process.argv[2] ?? "");
const unreadable: readonly [ImageReply] = [{ problem: "unreadable" }];
const [reply, content = ""] = await encode(await buffer(process.stdin), target).catch(() => unreadable);
process.stdout.write(`${JSON.stringify(reply)}\n`);
process.stdout.write(content);
