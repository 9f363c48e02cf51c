/** What the head of a delivery's request says. */
export interface RequestHeadFields {
  readonly url: URL;
  readonly bodyBytes: number;
  /** The event's id. */
  readonly deliveryId: string;
  /** Undefined where messages are not signed. */
  readonly signature: string | undefined;
}

const userAgent = "certificate-registry-notifier";

/**
 * The request line and headers of a delivery (interface specification §4.2), HTTP/1.1.
 *
 * @throws Error where a value does not fit into a header
 */
export function requestHead({ url, bodyBytes, deliveryId, signature }: RequestHeadFields): Buffer {
  const lines = [
    `POST ${url.pathname}${url.search} HTTP/1.1`,
    `Host: ${url.host}`,
    "Content-Type: application/json",
    `Content-Length: ${bodyBytes}`,
    `User-Agent: ${userAgent}`,
    `X-Service-Delivery: ${deliveryId}`,
    ...(signature === undefined ? [] : [`X-Service-Signature: ${signature}`]),
    "Connection: close",
  ];
  if (!lines.every((line) => /^[\x20-\x7e]+$/.test(line)))
    throw new Error("a header holds a control character");
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
}
