import { type IncomingMessage, request } from "node:http";
import { finished } from "node:stream/promises";
import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import { type Reason, reason } from "#shared/reasons/reason.ts";
import { userAgent } from "#shared/webhook/message-headers.ts";
import { AttemptTrace } from "../webhook/attempt-trace.ts";
import { DeliveryFailure } from "../webhook/delivery-failure.ts";
import { type ConnectOptions, openConnection } from "../webhook/open-connection.ts";

/** Maximum size of an image's file, in bytes. */
export const imageFileBytesMax = 4 * 1_024 * 1_024;

// Servers may send records of one packet each. A key update takes up to 30 µs, so a flood of them takes 0.1 s.
const replyLimit = { bytesMax: imageFileBytesMax + 256 * 1_024, moreRecords: 4_096 };
// Each interim reply and each chunk takes about a microsecond, however short it is: as many as the bytes permit took
// 340 and 650 ms of processor time. With these limits it is 20 and 75 ms; an image of the maximum size takes 10 to 40.
const interimRepliesMax = 16;
const chunksMax = 16_384;
// Servers send a few. As many as the bytes permit took 1.1 s of processor time; no session is resumed here.
const sessionTicketsMax = 16;
// The faults of a host that is misconfigured, or hostile. Another attempt would only cost time.
const lastingFaults: readonly OutcomeKind[] = [OutcomeKind.BLOCKED, OutcomeKind.PROTOCOL_ERROR, OutcomeKind.TLS_FAILED];
// Those of a busy host, or of the network.
const passingFaults: readonly Reason["code"][] = ["tls_handshake_broken", "tls_handshake_timed_out"];

/** Options of {@link downloadImage}. */
export interface DownloadOptions extends ConnectOptions {
  /** Time limit of the whole download, in milliseconds. Default 15,000. */
  readonly totalMs?: number;
}

/** Why an image was not fetched, in words for the merchant, and whether a further attempt can succeed. */
export class ImageNotFetched extends Error {
  readonly reason: Reason;
  readonly isTemporary: boolean;

  constructor(why: Reason, isTemporary: boolean, cause?: unknown) {
    super(why.code, { cause });
    this.name = "ImageNotFetched";
    this.reason = why;
    this.isTemporary = isTemporary;
  }
}

/**
 * Fetches an image with one GET over a connection that the address guard permits. Follows no redirects, each of which
 * could lead elsewhere. Bounded in time, bytes, TLS records and session tickets, interim replies and chunks.
 *
 * @param signal interrupts the download
 * @throws ImageNotFetched
 */
export async function downloadImage(url: string, options: DownloadOptions, signal: AbortSignal): Promise<Uint8Array> {
  const { totalMs = 15_000 } = options;
  const target = new URL(url);
  const ending = AbortSignal.any([signal, AbortSignal.timeout(totalMs)]);
  let flooded: ImageNotFetched | undefined;
  try {
    const socket = await openConnection(target, { ...options, replyLimit }, new AttemptTrace(), ending);
    let tickets = 0;
    socket.on("session", () => {
      if (++tickets <= sessionTicketsMax) return;
      flooded = tooLong();
      socket.destroy();
    });
    try {
      return await contentOf(await get(target, socket, ending));
    } finally {
      socket.destroy();
    }
  } catch (error) {
    if (error instanceof ImageNotFetched) throw error;
    if (flooded !== undefined) throw flooded;
    // Resolving, connecting, TLS, a malformed reply, or the time limit. The merchant can only look at the storefront.
    throw new ImageNotFetched(reason("image_unreachable"), ending.aborted || !isLasting(error), error);
  }
}

function isLasting(error: unknown): boolean {
  return (
    error instanceof DeliveryFailure && lastingFaults.includes(error.kind) && !passingFaults.includes(error.reason.code)
  );
}

function get(
  { host, pathname, search }: URL,
  socket: Awaited<ReturnType<typeof openConnection>>,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const headers = { Host: host, "User-Agent": userAgent, Accept: "image/webp,image/jpeg,image/png" };
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  let interimReplies = 0;
  // Without an agent, Node uses only this socket: an agent would open connections that no guard has permitted.
  const sent = request({ createConnection: () => socket, path: `${pathname}${search}`, headers, signal });
  sent
    .on("information", () => {
      if (++interimReplies > interimRepliesMax) sent.destroy(tooLong());
    })
    .once("response", resolve)
    // Stays for errors after the response, which its stream reports as well.
    .on("error", reject)
    .end();
  return promise;
}

async function contentOf(response: IncomingMessage): Promise<Uint8Array> {
  const { statusCode: status = 0 } = response;
  if (status !== 200) throw new ImageNotFetched(reason("image_refused", { status }), status >= 500 || status === 429);
  const chunks: Buffer[] = [];
  let length = 0;
  // Not an iteration, which would join the chunks that wait, so that they could not be counted.
  response.on("data", (chunk: Buffer) => {
    chunks.push(chunk);
    length += chunk.length;
    if (length > imageFileBytesMax) response.destroy(unusable());
    else if (chunks.length > chunksMax) response.destroy(tooLong());
  });
  await finished(response);
  return Buffer.concat(chunks);
}

function tooLong(): ImageNotFetched {
  return new ImageNotFetched(reason("image_unreachable"), false);
}

/** Creates the failure for a file that is not an image that pages can show. */
export function unusable(): ImageNotFetched {
  return new ImageNotFetched(reason("image_unusable"), false);
}
