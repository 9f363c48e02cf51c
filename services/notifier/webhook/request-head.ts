import { type MessageHeader, messageHeaders, messageType, userAgent } from "#shared/webhook/message-headers.ts";

/** The variable parts of a request's head. */
interface RequestHeadFields {
  readonly url: URL;
  readonly bodyBytes: number;
  /** See {@link messageHeaders}. */
  readonly deliveryId: string;
  /** Empty for unsigned messages. */
  readonly signatures: readonly MessageHeader[];
}

/**
 * Builds the HTTP/1.1 request line and headers of a webhook delivery (INTERFACE.md §4.2).
 *
 * @throws Error if a value contains a character other than printable ASCII
 */
export function requestHead({ url, bodyBytes, deliveryId, signatures }: RequestHeadFields): Buffer {
  return postHead(url, messageType, bodyBytes, messageHeaders(deliveryId, signatures));
}

/**
 * Builds the HTTP/1.1 request line and headers of a POST.
 *
 * @throws Error if a value contains a character other than printable ASCII
 */
export function postHead(url: URL, contentType: string, bodyBytes: number, headers: readonly MessageHeader[]): Buffer {
  const lines = [
    `POST ${url.pathname}${url.search} HTTP/1.1`,
    `Host: ${url.host}`,
    `Content-Type: ${contentType}`,
    `Content-Length: ${bodyBytes}`,
    `User-Agent: ${userAgent}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    "Connection: close",
  ];
  if (!lines.every((line) => /^[\x20-\x7e]+$/.test(line))) throw new Error("a header is not printable ASCII");
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
}
