import { SecretRole, type SigningSecret } from "#gen/registry/v1/notifier_service_pb.js";
import { signatureHeaderNames, signatureOf } from "#shared/webhook/signature.ts";

/** The secrets that sign a message. */
export interface SigningSecrets {
  /** The active secret; empty if the store's messages are not signed. */
  readonly secret: Uint8Array;
  /** The second secret during a rotation. */
  readonly otherSecret?: SigningSecret | undefined;
}

/** An HTTP header that contains the signature made with one secret. */
export type SignatureHeader = readonly [name: string, value: string];

/**
 * Returns the signature headers of a body (INTERFACE.md §5): one for the active secret, and one for the second secret
 * during a rotation; none without an active secret.
 */
export function signatureHeaders({ secret, otherSecret }: SigningSecrets, body: Uint8Array): SignatureHeader[] {
  if (secret.length === 0) return [];
  const signing = [{ role: SecretRole.ACTIVE, secret }, ...(otherSecret === undefined ? [] : [otherSecret])];
  return signing.flatMap(({ role, secret: signingSecret }) => {
    const name = signatureHeaderNames[role];
    return name === undefined ? [] : [[name, signatureOf(signingSecret, body)] as const];
  });
}

/** The variable parts of a request's head. */
export interface RequestHeadFields {
  readonly url: URL;
  readonly bodyBytes: number;
  /** The value of `X-Service-Delivery`. The id of a test message (`tst_…`) also adds `X-Service-Test: true`. */
  readonly deliveryId: string;
  /** Empty for unsigned messages. */
  readonly signatures: readonly SignatureHeader[];
}

/** Returns whether a delivery is a test message. */
export function isTestId(deliveryId: string): boolean {
  return deliveryId.startsWith("tst_");
}

/**
 * Builds the HTTP/1.1 request line and headers of a webhook delivery (INTERFACE.md §4.2).
 *
 * @throws Error if a value contains a character other than printable ASCII
 */
export function requestHead({ url, bodyBytes, deliveryId, signatures }: RequestHeadFields): Buffer {
  const test = isTestId(deliveryId) ? [["X-Service-Test", "true"] as const] : [];
  return postHead(url, "application/json", bodyBytes, [["X-Service-Delivery", deliveryId], ...test, ...signatures]);
}

const userAgent = "certificate-registry-notifier";

/**
 * Builds the HTTP/1.1 request line and headers of a POST.
 *
 * @throws Error if a value contains a character other than printable ASCII
 */
export function postHead(
  url: URL,
  contentType: string,
  bodyBytes: number,
  headers: readonly SignatureHeader[],
): Buffer {
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
