/** Request headers: a `Headers` object, or a plain object. The letter case of names does not matter. */
export type RequestHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

const headerNames = ["x-service-signature", "x-service-signature-next", "x-service-signature-previous"];
const encoder = new TextEncoder();

/**
 * Returns whether a webhook message was signed with one of the secrets. Compares in constant time.
 *
 * @param rawBody the bytes as received, before any parsing; a string is encoded as UTF-8
 * @param signature the value of `X-Service-Signature`, or all headers of the request; with all headers, signatures made
 * with the old or the new secret are accepted during a rotation
 * @param secret one or more secrets, exactly as displayed, including the prefix `crs_`; ignores missing and empty ones
 * @throws TypeError if `rawBody` is neither bytes nor text, for example because it was parsed
 */
export async function verifyWebhook(
  rawBody: Uint8Array | ArrayBuffer | string,
  signature: string | null | undefined | RequestHeaders,
  secret: string | readonly string[],
): Promise<boolean> {
  const body = bytesOf(rawBody);
  if (body === undefined)
    throw new TypeError("rawBody is neither bytes nor text: pass the body as received, before any parser");
  const given = signaturesIn(signature).flatMap((text) => digestOf(text) ?? []);
  // In JavaScript, `[newSecret, oldSecret]` can contain an environment variable that is not set.
  const secrets = [secret].flat().filter(Boolean);
  const checks = secrets.map(async (text) => {
    const algorithm = { name: "HMAC", hash: "SHA-256" };
    const key = await crypto.subtle.importKey("raw", encoder.encode(text), algorithm, false, ["verify"]);
    // `verify` compares in constant time.
    return Promise.all(given.map((digest) => crypto.subtle.verify("HMAC", key, digest, body)));
  });
  return (await Promise.all(checks)).flat().includes(true);
}

/** Returns the bytes of a body that is bytes or text; undefined for any other value, such as a parsed body. */
export function bytesOf(body: unknown): Uint8Array<ArrayBuffer> | undefined {
  if (typeof body === "string") return encoder.encode(body);
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength).slice();
  return body instanceof ArrayBuffer ? new Uint8Array(body) : undefined;
}

function signaturesIn(signature: string | null | undefined | RequestHeaders): readonly string[] {
  if (typeof signature === "string") return [signature];
  if (signature === null || signature === undefined) return [];
  if (isHeaders(signature)) return headerNames.flatMap((name) => signature.get(name) ?? []);
  // Node's names are in lower case; some gateways keep the letter case of the message.
  return Object.entries(signature).flatMap(([name, value = []]) =>
    headerNames.includes(name.toLowerCase()) ? value : [],
  );
}

function isHeaders(headers: RequestHeaders): headers is { get(name: string): string | null } {
  return typeof headers.get === "function";
}

/** Returns the 32-byte digest in `sha256=<hex>`; undefined for any other text. */
function digestOf(signature: string): Uint8Array<ArrayBuffer> | undefined {
  const hex = /^sha256=([0-9a-f]{64})$/.exec(signature)?.[1];
  if (hex === undefined) return undefined;
  return Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
}
