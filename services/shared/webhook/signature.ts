import { createHmac } from "node:crypto";

/** What a signature's value begins with. */
export const signaturePrefix = "sha256=";

/**
 * A message's signature (interface specification §5): `sha256=` and the lowercase hexadecimal HMAC-SHA256 of the raw body.
 *
 * @param secret the signing secret's text as bytes, as it was shown
 */
export function signatureOf(secret: Uint8Array, body: Uint8Array): string {
  return signaturePrefix + createHmac("sha256", secret).update(body).digest("hex");
}
