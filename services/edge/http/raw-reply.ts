import { STATUS_CODES } from "node:http";
import { errorDocument, jsonType } from "./error-document.ts";
import { fixedHeaders } from "./fixed-headers.ts";

/** An error reply for a connection on which Node made no response object. */
export interface RawReply {
  readonly status: number;
  readonly code: "bad_request" | "method_not_allowed";
  readonly message: string;
  readonly requestId: string;
  /** Whether it answers a HEAD: then the headers are those of the document, which is not sent. Default: it does not. */
  readonly isHead?: boolean;
  /** Headers beside the ones that every reply carries. */
  readonly headers?: Readonly<Record<string, string>>;
  /** For the `Date` header; milliseconds since the Unix epoch. */
  readonly nowMs: number;
}

/** The bytes of such a reply: the same headers and document as any other error, and the end of the connection. */
export function rawReplyBytes(reply: RawReply): Buffer {
  const body = errorDocument(reply.code, reply.message);
  const headers = {
    "X-Request-Id": reply.requestId,
    ...fixedHeaders,
    ...reply.headers,
    "Content-Type": jsonType,
    "Content-Length": String(body.byteLength),
    Date: new Date(reply.nowMs).toUTCString(),
    Connection: "close",
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `HTTP/1.1 ${reply.status} ${STATUS_CODES[reply.status] ?? ""}\r\n${lines.join("")}\r\n`;
  return Buffer.concat([Buffer.from(head, "latin1"), ...(reply.isHead ? [] : [body])]);
}
