import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { crc32, deflateSync } from "node:zlib";
import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { encodeImage } from "./encode-image.ts";

const target = {
  bytesMax: 12 * 1_024,
  forms: [
    { width: 480, height: 176, quality: 86 },
    { width: 200, height: 80, quality: 50 },
  ],
};

const image = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 4, background: { r: 120, g: 20, b: 60, alpha: 0.5 } } });

const noise = (width: number, height: number) =>
  sharp(randomBytes(width * height * 3), { raw: { width, height, channels: 3 } });

/** A PNG of zeros. @param interlaced makes the decoder keep all pixels in memory */
function blankPng(width: number, height: number, { bits = 8, channels = 1, interlaced = false } = {}): Buffer {
  const chunk = (type: string, content: Uint8Array) => {
    const bytes = Buffer.concat([Buffer.alloc(4), Buffer.from(type), content, Buffer.alloc(4)]);
    bytes.writeUInt32BE(content.length);
    bytes.writeUInt32BE(crc32(bytes.subarray(4, -4)), bytes.length - 4);
    return bytes;
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width);
  header.writeUInt32BE(height, 4);
  header.set([bits, channels === 1 ? 0 : 6, 0, 0, interlaced ? 1 : 0], 8);
  // The passes of an interlaced image have about twice as many rows, each with a byte for its filter.
  const bytes = Math.ceil((width * bits * channels) / 8 + 2) * height + 2 * height;
  const parts = [
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(Buffer.alloc(bytes))),
    chunk("IEND", Buffer.alloc(0)),
  ];
  return Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), ...parts]);
}

const peakMebibytes = () =>
  Number(/^VmHWM:\s*(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1] ?? Number.NaN) / 1_024;

async function encoded(bytes: Buffer) {
  const result = await encodeImage("shop", bytes, target);
  if (typeof result !== "object") throw new Error(`the image was refused: ${result}`);
  return result;
}

// Starting a process takes many seconds on a busy machine.
const timeout = 120_000;

describe("encodeImage", { timeout }, () => {
  test.each([
    ["PNG", image(900, 300).png()],
    [
      "JPEG",
      image(900, 300)
        .jpeg()
        .withExif({ IFD0: { Copyright: "Linden Press" } }),
    ],
    ["WebP", image(900, 300).webp()],
  ])("converts %s to a WebP that fits the box, without metadata", async (_format, source) => {
    const { content, ...size } = await encoded(await source.toBuffer());
    expect(size).toEqual({ width: 480, height: 160 });
    expect(content.length).toBeLessThan(target.bytesMax);
    expect(await sharp(content).metadata()).toMatchObject({ format: "webp", width: 480 });
    expect(Buffer.from(content).includes("Linden")).toBe(false);
  });

  test("keeps the width and height of a small image, and turns one that its metadata turns", async () => {
    expect(await encoded(await image(40, 30).png().toBuffer())).toMatchObject({ width: 40, height: 30 });
    const turned = image(40, 30).jpeg().withMetadata({ orientation: 6 });
    expect(await encoded(await turned.toBuffer())).toMatchObject({ width: 30, height: 40 });
  });

  test("keeps the colors and the transparency", async () => {
    const { content } = await encoded(await image(40, 30).png().toBuffer());
    const [red = 0, green = 0, blue = 0, alpha = 0] = await sharp(content).raw().toBuffer();
    for (const [value, expected] of [
      [red, 120],
      [green, 20],
      [blue, 60],
      [alpha, 128],
    ] as const)
      expect(Math.abs(value - expected)).toBeLessThan(6);
  });

  test("uses the next form for an image that is too large in the first", async () => {
    const bytesMax = 4_096;
    const result = await encodeImage("shop", await noise(1_500, 1_500).png().toBuffer(), {
      forms: target.forms,
      bytesMax,
    });
    if (typeof result !== "object") throw new Error(`the image was refused: ${result}`);
    expect(result.content.length).toBeLessThanOrEqual(bytesMax);
    expect(result.width).toBe(80);
  });

  test.each([
    ["an SVG", Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')],
    ["an HTML page", Buffer.from("<!doctype html><script>alert(1)</script>")],
    ["a GIF", Buffer.from("GIF89a\x01\x00\x01\x00")],
    ["an empty file", Buffer.alloc(0)],
  ])("refuses %s because of its content", async (_what, bytes) => {
    expect(await encodeImage("shop", bytes, target)).toBe("format");
  });

  test("refuses a damaged image", async () => {
    const png = await image(400, 300).png().toBuffer();
    expect(await encodeImage("shop", png.subarray(0, 60), target)).toBe("unreadable");
    const scrambled = Buffer.concat([png.subarray(0, 8), randomBytes(500)]);
    expect(await encodeImage("shop", scrambled, target)).toBe("unreadable");
  });

  test.each([
    ["1 × 24,000,000", blankPng(1, 24_000_000)],
    ["8,193 × 1", blankPng(8_193, 1)],
    ["1 × 8,193", blankPng(1, 8_193)],
    ["8,000 × 3,001", blankPng(8_000, 3_001)],
  ])("refuses an image of %s pixels before decoding it", async (_size, png) => {
    expect(await encodeImage("shop", png, target)).toBe("size");
  });
});

describe("an image that takes too much memory", { timeout }, () => {
  // 16-bit channels and interlacing: 192 MB of pixels.
  const bomb = blankPng(6_000, 4_000, { bits: 16, channels: 4, interlaced: true });

  test("is refused, and neither this process's memory nor its event loop notices", async () => {
    const before = peakMebibytes();
    const delay = monitorEventLoopDelay({ resolution: 5 });
    delay.enable();
    expect(await encodeImage("shop", bomb, target)).toBe("costly");
    delay.disable();
    expect(peakMebibytes() - before).toBeLessThan(32);
    // A decoder in this process would block for seconds. Other programs delay the loop of a busy machine, too.
    expect(delay.percentile(50) / 1e6).toBeLessThan(200);
  });

  test("is given up when its caller stops, as are those that wait", async () => {
    const stopping = new AbortController();
    const results = ["a", "b", "c"].map((store) => encodeImage(store, bomb, target, stopping.signal));
    const settled = Promise.allSettled(results);
    stopping.abort("stopping");
    expect((await settled).map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    expect(await encodeImage("d", await image(40, 30).png().toBuffer(), target)).toMatchObject({ width: 40 });
  });

  test("does not keep another store's image out, however many images its own store sends", async () => {
    const flood = Array.from({ length: 20 }, () => encodeImage("greedy", bomb, target));
    const other = await encodeImage("other", await image(40, 30).png().toBuffer(), target);
    expect(other).toMatchObject({ width: 40, height: 30 });
    const outcomes = await Promise.all(flood);
    expect(new Set(outcomes)).toEqual(new Set(["costly", "busy"]));
    expect(outcomes.filter((outcome) => outcome === "costly").length).toBeLessThan(9);
  });
});
