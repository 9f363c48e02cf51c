/** What there is of a request with a Content-Length. */
export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  /** By their names in lower case; of several with one name the last. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
  /** Whether head and body are all there; of an incomplete head nothing else is told. */
  readonly isComplete: boolean;
  /** How long it is; when it is not complete, how much of it there is. */
  readonly bytes: number;
}

/** Reads the request that the bytes begin with. */
export function readRequest(bytes: Buffer): HttpRequest {
  const headEnd = bytes.indexOf("\r\n\r\n");
  if (headEnd < 0) {
    return {
      ...{ method: "", path: "", headers: new Map(), body: Buffer.alloc(0) },
      ...{ isComplete: false, bytes: bytes.length },
    };
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
