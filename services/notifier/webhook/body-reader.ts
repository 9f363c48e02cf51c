import { Dechunker } from "./dechunker.ts";
import { type ReplyHead, readReplyHead } from "./reply-head.ts";

/** The beginning of a reply's body. */
export interface ReplyBody {
  /** At most 4 KiB, without the framing. */
  readonly bytes: Buffer;
  /** How the bytes are compressed, in the receiver's own words; empty when they are not. */
  readonly compression: string;
}

const headBytesMax = 16 * 1_024;
const bodyBytesMax = 4 * 1_024;

const blankLine = /\n\r?\n/g;

/**
 * Reads what follows a final status line: the headers, and as much of the body as the log keeps. It decides nothing
 * about the outcome, which the status line has settled.
 */
export class BodyReader {
  readonly #hasBody: boolean;
  readonly #dechunker = new Dechunker();
  // The status line's own end: with it, a head without headers ends in a blank line like any other.
  #headText = "\n";
  #head: ReplyHead | undefined;
  #bytesRead = 0;
  #data = "";

  /** @param status the final status */
  constructor(status: number) {
    // RFC 9110 §6.4.1.
    this.#hasBody = status !== 204 && status !== 304;
  }

  /** The beginning of the body; empty where there is none or its head never ended. */
  get body(): ReplyBody {
    return { bytes: Buffer.from(this.#data, "latin1"), compression: this.#head?.compression ?? "" };
  }

  /** Takes the next bytes. @returns whether that is enough: the reply is complete, or no more of it is wanted */
  push(chunk: Buffer): boolean {
    if (this.#head !== undefined) return this.#pushBody(this.#head, chunk);
    const room = headBytesMax - this.#headText.length;
    // Only what is new is searched, so that single bytes cost no more than a whole head.
    blankLine.lastIndex = Math.max(0, this.#headText.length - 2);
    this.#headText += chunk.toString("latin1", 0, room);
    const end = chunk.includes("\n") ? blankLine.exec(this.#headText) : null;
    if (end === null) return chunk.length >= room;
    const bodyStart = end.index + end[0].length;
    const body = Buffer.concat([
      Buffer.from(this.#headText.slice(bodyStart), "latin1"),
      chunk.subarray(room),
    ]);
    this.#head = readReplyHead(this.#headText.slice(0, end.index));
    return this.#pushBody(this.#head, body);
  }

  #pushBody({ isChunked, contentLength = Number.POSITIVE_INFINITY }: ReplyHead, bytes: Buffer): boolean {
    if (!this.#hasBody) return true;
    const wanted = Math.min(bodyBytesMax, contentLength) - this.#bytesRead;
    const text = bytes.toString("latin1", 0, wanted);
    this.#bytesRead += text.length;
    this.#data += isChunked ? this.#dechunker.push(text) : text;
    return this.#dechunker.isComplete || text.length === wanted;
  }
}
