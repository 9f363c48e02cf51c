/** Request headers: a `Headers` object, or a plain object with lower-case names, as in Node. */
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
 * @param secret one or more secrets, exactly as displayed, including the prefix `crs_`
 */
export async function verifyWebhook(
  rawBody: Uint8Array | string,
  signature: string | null | undefined | RequestHeaders,
  secret: string | readonly string[],
): Promise<boolean> {
  const body = typeof rawBody === "string" ? encoder.encode(rawBody) : Uint8Array.from(rawBody);
  const given = signaturesIn(signature).flatMap((text) => digestOf(text) ?? []);
  const secrets = (typeof secret === "string" ? [secret] : secret).filter((text) => text !== "");
  const checks = secrets.map(async (text) => {
    const algorithm = { name: "HMAC", hash: "SHA-256" };
    const key = await crypto.subtle.importKey("raw", encoder.encode(text), algorithm, false, ["verify"]);
    // `verify` compares in constant time.
    return Promise.all(given.map((digest) => crypto.subtle.verify("HMAC", key, digest, body)));
  });
  return (await Promise.all(checks)).flat().includes(true);
}

function signaturesIn(signature: string | null | undefined | RequestHeaders): readonly string[] {
  if (typeof signature === "string") return [signature];
  if (signature === null || signature === undefined) return [];
  return headerNames.flatMap((name) => headerOf(signature, name) ?? []);
}

function headerOf(headers: RequestHeaders, name: string): string | readonly string[] | null | undefined {
  return isHeaders(headers) ? headers.get(name) : headers[name];
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
