import { randomBytes } from "node:crypto";
import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { encodeLogo } from "./encode-logo.ts";

const image = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 4, background: { r: 120, g: 20, b: 60, alpha: 0.5 } } });

const noise = (width: number, height: number) =>
  sharp(randomBytes(width * height * 3), { raw: { width, height, channels: 3 } });

async function encoded(bytes: Buffer) {
  const logo = await encodeLogo(bytes);
  if (typeof logo !== "object") throw new Error(`the image was refused: ${logo}`);
  return logo;
}

describe("encodeLogo", () => {
  test.each([
    ["PNG", image(900, 300).png()],
    [
      "JPEG",
      image(900, 300)
        .jpeg()
        .withExif({ IFD0: { Copyright: "Linden Press" } }),
    ],
    ["WebP", image(900, 300).webp()],
  ])("converts %s to a WebP that fits the page, without metadata", async (_format, source) => {
    const { content, ...size } = await encoded(await source.toBuffer());
    expect(size).toEqual({ width: 480, height: 160 });
    expect(content.length).toBeLessThan(12 * 1_024);
    expect(await sharp(content).metadata()).toMatchObject({ format: "webp", width: 480 });
    expect(Buffer.from(content).includes("Linden")).toBe(false);
  });

  test("keeps the width and height of a small image", async () => {
    expect(await encodeLogo(await image(40, 30).png().toBuffer())).toMatchObject({ width: 40, height: 30 });
  });

  test("encodes even random noise in less than 12 KiB", async () => {
    const { content } = await encoded(await noise(1_500, 1_500).png().toBuffer());
    expect(content.length).toBeLessThan(12 * 1_024);
  });

  test.each([
    ["an SVG", Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')],
    ["an HTML page", Buffer.from("<!doctype html><script>alert(1)</script>")],
    ["a GIF", Buffer.from("GIF89a\x01\x00\x01\x00")],
    ["an empty file", Buffer.alloc(0)],
  ])("refuses %s because of its content", async (_what, bytes) => {
    expect(await encodeLogo(bytes)).toBe("format");
  });

  test("refuses an image that is damaged or has too many pixels", async () => {
    const png = await image(400, 300).png().toBuffer();
    expect(await encodeLogo(png.subarray(0, 60))).toBe("unreadable");
    expect(await encodeLogo(Buffer.concat([png.subarray(0, 8), randomBytes(500)]))).toBe("unreadable");
    const huge = Buffer.from(png);
    huge.writeUInt32BE(100_000, 16);
    huge.writeUInt32BE(100_000, 20);
    expect(["size", "unreadable"]).toContain(await encodeLogo(huge));
  });

  test("returns undefined while another image is being converted", async () => {
    const png = await image(800, 300).png().toBuffer();
    const [first, second] = await Promise.all([encodeLogo(png), encodeLogo(png)]);
    expect([typeof first, second]).toEqual(["object", undefined]);
  });
});
