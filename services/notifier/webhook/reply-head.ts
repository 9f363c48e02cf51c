/** The headers of a reply that describe its body. */
export interface ReplyHead {
  /** Undefined if missing, invalid or overridden by chunked framing. */
  readonly contentLength: number | undefined;
  readonly isChunked: boolean;
  /** The content and transfer codings, as `gzip, br`; empty for an uncompressed body. */
  readonly compression: string;
}

/** Parses the headers of a reply, without its status line. Invalid headers count as missing. */
export function readReplyHead(headers: string): ReplyHead {
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

function codingsOf(headers: string, name: string): string[] {
  const codings = headerValue(headers, name).toLowerCase().split(",");
  return codings.map((coding) => coding.trim()).filter((coding) => coding !== "");
}

function headerValue(headers: string, name: string): string {
  const value = new RegExp(`^${name}:([^\\r\\n]*)`, "im").exec(headers)?.[1];
  return value?.trim() ?? "";
}
