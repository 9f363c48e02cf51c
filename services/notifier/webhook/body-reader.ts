/** The beginning of a reply's body. */
export interface ReplyBody {
  /** At most 4 KiB, without chunked framing. */
  readonly bytes: Buffer;
  /** The content and transfer codings, such as `gzip, br`; the empty string for an uncompressed body. */
  readonly compression: string;
}

const headBytesMax = 16 * 1_024;
const bodyBytesMax = 4 * 1_024;

/** Reads the beginning of a reply's body for the delivery log. The body does not affect the outcome. */
export class BodyReader {
  readonly #hasBody: boolean;
  // Begins with the line feed of the status line, so that a head without headers also ends in a blank line.
  #received = "\n";
  #head: ReturnType<typeof readHead> | undefined;
  #bodyStart = 0;
  #data = "";

  /** @param status the final status */
  constructor(status: number) {
    // Responses with these statuses have no body (RFC 9110 §6.4.1).
    this.#hasBody = status !== 204 && status !== 304;
  }

  /** The body received so far; has no bytes if the reply has no body or while the headers are incomplete. */
  get body(): ReplyBody {
    return { bytes: Buffer.from(this.#data, "latin1"), compression: this.#head?.compression ?? "" };
  }

  /** Appends bytes received after the status line, as latin1. @returns true once no more bytes are needed */
  push(text: string): boolean {
    const searched = this.#received.length;
    this.#received += text;
    this.#head ??= this.#findHead(searched);
    if (this.#head === undefined) return this.#received.length >= headBytesMax;
    if (!this.#hasBody) return true;
    const { contentLength = Number.POSITIVE_INFINITY, isChunked } = this.#head;
    const wanted = Math.min(bodyBytesMax, contentLength);
    const body = this.#received.slice(this.#bodyStart, this.#bodyStart + wanted);
    const { data, isComplete } = isChunked ? dechunk(body) : { data: body, isComplete: false };
    this.#data = data;
    return isComplete || body.length === wanted;
  }

  #findHead(searched: number) {
    const blankLine = /\n\r?\n/g;
    // Searches only new text, so that a head received byte by byte costs little more than a head received in one piece.
    blankLine.lastIndex = Math.max(0, searched - 2);
    const end = blankLine.exec(this.#received.slice(0, headBytesMax));
    if (end === null) return undefined;
    this.#bodyStart = blankLine.lastIndex;
    return readHead(this.#received.slice(0, end.index));
  }
}

// Eight digits suffice for 4 GiB. A bare LF also ends a line, as in the headers.
const chunkHead = /^\r?\n([0-9a-f]{1,8})[ \t]*(?:;[^\r\n]*)?\r?\n/i;

/** Removes chunked framing (RFC 9112 §7.1). Stops at the first invalid chunk. */
function dechunk(body: string): { readonly data: string; readonly isComplete: boolean } {
  let data = "";
  // A line break precedes every chunk except the first, so one is prepended.
  for (let rest = `\n${body}`; ; ) {
    const head = chunkHead.exec(rest);
    const size = Number.parseInt(head?.[1] ?? "", 16);
    if (head === null || size === 0) return { data, isComplete: head !== null };
    const end = head[0].length + size;
    data += rest.slice(head[0].length, end);
    rest = rest.slice(end);
  }
}

/** Parses the headers of a reply, without its status line. Invalid headers count as missing. */
function readHead(headers: string) {
  const transferCodings = codingsOf(headers, "transfer-encoding");
  const isChunked = transferCodings.at(-1) === "chunked";
  const length = /^\d{1,15}$/.exec(headerValue(headers, "content-length"))?.[0];
  const codings = [...codingsOf(headers, "content-encoding"), ...transferCodings];
  return {
    // RFC 9112 §6.3: chunked framing overrides a length.
    contentLength: isChunked || length === undefined ? undefined : Number(length),
    isChunked,
    compression: codings.filter((name) => name !== "identity" && name !== "chunked").join(", "),
  };
}

function codingsOf(headers: string, name: HeaderName): string[] {
  const codings = headerValue(headers, name).toLowerCase().split(",");
  return codings.map((coding) => coding.trim()).filter((coding) => coding !== "");
}

const headerLines = {
  "content-encoding": /^content-encoding:([^\r\n]*)/im,
  "content-length": /^content-length:([^\r\n]*)/im,
  "transfer-encoding": /^transfer-encoding:([^\r\n]*)/im,
} as const;

type HeaderName = keyof typeof headerLines;

function headerValue(headers: string, name: HeaderName): string {
  return headerLines[name].exec(headers)?.[1]?.trim() ?? "";
}
