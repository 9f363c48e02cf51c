import { STATUS_CODES } from "node:http";
import { defaultHeaders } from "./default-headers.ts";
import { errorDocument, jsonType } from "./error-document.ts";

/** An error response that is written directly to a connection, without Node's response object. */
export interface RawErrorResponse {
  readonly status: number;
  readonly code: "bad_request" | "method_not_allowed";
  readonly message: string;
  readonly requestId: string;
  /** True for a HEAD request: the response has the headers of the error document but no body. Default false. */
  readonly isHead?: boolean;
  /** Headers in addition to {@link defaultHeaders}. */
  readonly headers?: Readonly<Record<string, string>>;
  /** For the `Date` header; milliseconds since the Unix epoch. */
  readonly nowMs: number;
}

/** Serializes the response; it differs from other error responses only in `Connection: close`. */
export function serializeErrorResponse(response: RawErrorResponse): Buffer {
  const body = errorDocument(response.code, response.message);
  const headers = {
    "X-Request-Id": response.requestId,
    ...defaultHeaders,
    ...response.headers,
    "Content-Type": jsonType,
    "Content-Length": String(body.byteLength),
    Date: new Date(response.nowMs).toUTCString(),
    Connection: "close",
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `HTTP/1.1 ${response.status} ${STATUS_CODES[response.status] ?? ""}\r\n${lines.join("")}\r\n`;
  return Buffer.concat([Buffer.from(head, "latin1"), ...(response.isHead ? [] : [body])]);
}
