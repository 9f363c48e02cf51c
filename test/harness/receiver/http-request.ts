/** An HTTP/1.1 request with a Content-Length, possibly received only in part. */
export interface HttpRequest {
  /** The empty string while the head is incomplete; `path` and `headers` are then empty as well. */
  readonly method: string;
  readonly path: string;
  /** Values by lower-case header name; for a repeated header, the last value. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
  /** Whether head and body have arrived completely. */
  readonly isComplete: boolean;
  /** Number of bytes of the request that have arrived. */
  readonly bytes: number;
}

/** Parses the request at the start of the bytes. */
export function readRequest(bytes: Buffer): HttpRequest {
  const headEnd = bytes.indexOf("\r\n\r\n");
  if (headEnd < 0) {
    const body = Buffer.alloc(0);
    return { method: "", path: "", headers: new Map(), body, isComplete: false, bytes: bytes.length };
  }
  const [requestLine = "", ...lines] = bytes.subarray(0, headEnd).toString("latin1").split("\r\n");
  const [method = "", path = ""] = requestLine.split(" ");
  const headers = new Map(lines.map(headerOf));
  const bodyStart = headEnd + 4;
  const bodyBytes = Number(headers.get("content-length"));
  const body = bytes.subarray(bodyStart, bodyStart + (bodyBytes || 0));
  const isComplete = body.length === bodyBytes;
  return { method, path, headers, body, isComplete, bytes: bodyStart + body.length };
}

function headerOf(line: string): [name: string, value: string] {
  const colon = line.indexOf(":");
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
}
