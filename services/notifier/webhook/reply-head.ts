/** What the head of a reply tells about its body. */
export interface ReplyHead {
  /** Bytes of the body; undefined where the head does not tell. */
  readonly contentLength: number | undefined;
  readonly isChunked: boolean;
  /** How the body is compressed, in the receiver's own words; empty when it is not. */
  readonly compression: string;
}

/**
 * Reads the headers of a reply, without its status line. What makes no sense counts as absent: nothing depends on it
 * but the log.
 */
export function readReplyHead(headers: string): ReplyHead {
  const transferCodings = listOf(headers, "transfer-encoding");
  const isChunked = transferCodings.at(-1) === "chunked";
  const length = /^\d{1,15}$/.exec(headerOf(headers, "content-length"))?.[0];
  const codings = [...listOf(headers, "content-encoding"), ...transferCodings];
  return {
    // RFC 9112 §6.3: chunked framing overrides a length.
    contentLength: isChunked || length === undefined ? undefined : Number(length),
    isChunked,
    compression: codings.filter((name) => name !== "identity" && name !== "chunked").join(", "),
  };
}

function listOf(headers: string, name: string): string[] {
  const items = headerOf(headers, name).toLowerCase().split(",");
  return items.map((item) => item.trim()).filter((item) => item !== "");
}

function headerOf(headers: string, name: string): string {
  const value = new RegExp(`^${name}:([^\\r\\n]*)`, "im").exec(headers)?.[1];
  return value?.trim() ?? "";
}
