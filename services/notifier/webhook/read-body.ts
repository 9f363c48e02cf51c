import { readReplyHead } from "./reply-head.ts";

/** The beginning of a reply's body. */
export interface ReplyBody {
  /** At most 4 KiB, without chunked framing. */
  readonly bytes: Buffer;
  /** The content and transfer codings, as `gzip, br`; empty for an uncompressed body. */
  readonly compression: string;
  /** Whether the reply is complete, or as much of it was received as is kept. */
  readonly isComplete: boolean;
}

const headBytesMax = 16 * 1_024;
const bodyBytesMax = 4 * 1_024;

/**
 * Reads the beginning of a reply's body for the delivery log. It does not affect the outcome.
 *
 * @param received all bytes received so far after the status line, as latin1
 */
export function readBody(status: number, received: string): ReplyBody {
  // Starts with the line feed of the status line, so that a head without headers also ends in a blank line.
  const head = `\n${received}`.slice(0, headBytesMax);
  const blankLine = /\n\r?\n/.exec(head);
  if (blankLine === null) return replyBody("", "", head.length === headBytesMax);
  const { contentLength, isChunked, compression } = readReplyHead(head.slice(0, blankLine.index));
  // RFC 9110 §6.4.1.
  if (status === 204 || status === 304) return replyBody("", compression, true);
  const bodyStart = blankLine.index + blankLine[0].length - 1;
  const wanted = Math.min(bodyBytesMax, contentLength ?? Number.POSITIVE_INFINITY);
  const body = received.slice(bodyStart, bodyStart + wanted);
  const { data, isComplete } = isChunked ? dechunk(body) : { data: body, isComplete: false };
  return replyBody(data, compression, isComplete || body.length === wanted);
}

function replyBody(data: string, compression: string, isComplete: boolean): ReplyBody {
  return { bytes: Buffer.from(data, "latin1"), compression, isComplete };
}

// Eight digits are 4 GiB. A bare LF also ends a line, as in the head.
const chunkHead = /^\r?\n([0-9a-f]{1,8})[ \t]*(?:;[^\r\n]*)?\r?\n/i;

/** Removes chunked framing (RFC 9112 §7.1). Stops at the first invalid chunk. */
function dechunk(body: string): { readonly data: string; readonly isComplete: boolean } {
  let data = "";
  // Every chunk but the first follows a line break.
  for (let rest = `\n${body}`; ; ) {
    const head = chunkHead.exec(rest);
    const size = Number.parseInt(head?.[1] ?? "", 16);
    if (head === null || size === 0) return { data, isComplete: head !== null };
    const end = head[0].length + size;
    data += rest.slice(head[0].length, end);
    rest = rest.slice(end);
  }
}
