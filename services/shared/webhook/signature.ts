import { createHmac } from "node:crypto";

/**
 * The value of `X-Service-Signature` (interface specification §5): `sha256=` and the lowercase hexadecimal HMAC-SHA256
 * of the raw body.
 *
 * @param secret the signing secret's bytes
 * @returns undefined where no secret is set
 */
export function signatureOf(secret: Uint8Array, body: Uint8Array): string | undefined {
  if (secret.length === 0) return undefined;
  return `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
}
