import { spawn } from "node:child_process";
import { setPriority } from "node:os";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { NoPlaceLeft, Places } from "#shared/limits/places.ts";
import { parseJson } from "#shared/text/parse-json.ts";
import type { EncodedImage } from "./image.ts";
import { type ImageTarget, imageSideMax } from "./image-bounds.ts";
import { killAboveLimits, ProcessLimitExceeded } from "./process-limits.ts";

/**
 * Why an image was not encoded: the format is not PNG, JPEG or WebP; the image has too many pixels or cannot be made
 * small enough; it is damaged; decoding it takes too much memory or time; or too many other images wait.
 */
type ImageProblem = "format" | "size" | "unreadable" | "costly" | "busy";

// The first bytes of PNG, JPEG and WebP files, in hexadecimal. SVG is not accepted, because it can contain scripts.
const webpSignature = /^52494646.{8}57454250/;
const signatures: readonly RegExp[] = [/^89504e470d0a1a0a/, /^ffd8ff/, webpSignature];
const program = fileURLToPath(new URL("./image-process.ts", import.meta.url));
const heapMebibytes = 32;
// Keeps libvips from writing large images to temporary files: the file system of the containers is read-only.
const env = { VIPS_DISC_THRESHOLD: "1g" };
// Of 24 megapixels, a PNG takes 96 MiB, an interlaced one 154, a WebP 112 and a progressive JPEG 236.
const limits = { residentMebibytes: 256, processorMs: 5_000, elapsedMs: 40_000 };
// With the lowest priority, 19, a process does not even start within the limit beside a few busy ones.
const lowPriority = 10;
const replyLineBytesMax = 100;

// One process at a time, so that the memory of all stores' images is bounded. The stores take turns.
const places = new Places({ inFlightMax: 1, inFlightPerStoreMax: 1, waitingMax: 8 });

const side = z.int().min(1).max(imageSideMax);
const replySchema = z.union([
  z.strictObject({ problem: z.enum(["size", "unreadable"]) }),
  z.strictObject({ width: side, height: side }),
]);

/**
 * Converts an image from outside to a small WebP without metadata. Recognizes the format by the content of the file,
 * not by its name. Browsers receive only the new encoding, never the original bytes.
 *
 * The image is decoded in a child process, which has no access to the environment variables and is killed when it takes
 * too much memory or time, so that no image can harm the edge. An image waits while another one is decoded.
 *
 * @param store the store, or another string that identifies the origin of the image; the stores take turns
 * @param signal ends the conversion: the promise rejects
 */
export async function encodeImage(
  store: string,
  image: Uint8Array,
  target: ImageTarget,
  signal?: AbortSignal,
): Promise<EncodedImage | ImageProblem> {
  if (!startsWith(image, signatures)) return "format";
  try {
    return await places.run(store, () => {
      signal?.throwIfAborted();
      return encodeInProcess(image, target, signal);
    });
  } catch (error) {
    if (error instanceof NoPlaceLeft) return "busy";
    if (error instanceof ProcessLimitExceeded) return "costly";
    throw error;
  }
}

async function encodeInProcess(
  image: Uint8Array,
  target: ImageTarget,
  signal: AbortSignal | undefined,
): Promise<EncodedImage | ImageProblem> {
  const argv = [`--max-old-space-size=${heapMebibytes}`, program, JSON.stringify(target)];
  const child = spawn(process.execPath, argv, {
    env,
    cwd: "/",
    stdio: ["pipe", "pipe", "ignore"],
    signal,
    killSignal: "SIGKILL",
  });
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const started = new Promise<never>((_resolve, reject) => child.once("error", reject));
  const exceeded = killAboveLimits(child, limits);
  try {
    lowerPriority(child.pid);
    // A process that ends early does not read the whole image.
    child.stdin.once("error", () => undefined);
    child.stdin.end(image);
    const output = await Promise.race([outputOf(child.stdout, target), exceeded, started]);
    return parseOutput(output, target) ?? "unreadable";
  } finally {
    child.kill("SIGKILL");
    // The place is free once the memory is. A process that could not be started has none.
    await (child.pid === undefined ? started : closed).catch(() => undefined);
  }
}

/** Lets the services run first when processors are scarce. */
function lowerPriority(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, lowPriority);
  } catch {
    // The process has ended.
  }
}

/** Collects the output; stops reading above the maximum size. */
async function outputOf(stdout: AsyncIterable<Buffer>, { bytesMax }: ImageTarget): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stdout) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > bytesMax + replyLineBytesMax) break;
  }
  return Buffer.concat(chunks);
}

/** @returns undefined for output that the program does not write: a faulty image may have taken over the process */
function parseOutput(output: Buffer, { bytesMax }: ImageTarget): EncodedImage | ImageProblem | undefined {
  const end = output.indexOf("\n");
  const reply = replySchema.safeParse(parseJson(output.toString("utf8", 0, Math.min(end, replyLineBytesMax))));
  if (!reply.success) return undefined;
  if ("problem" in reply.data) return reply.data.problem;
  const content = output.subarray(end + 1);
  if (content.length > bytesMax || !startsWith(content, [webpSignature])) return undefined;
  return { content, width: reply.data.width, height: reply.data.height };
}

function startsWith(bytes: Uint8Array, patterns: readonly RegExp[]): boolean {
  const start = Buffer.from(bytes.subarray(0, 12)).toString("hex");
  return patterns.some((pattern) => pattern.test(start));
}
