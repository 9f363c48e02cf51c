import { createHmac, timingSafeEqual } from "node:crypto";

/**
 * Returns whether a signature is the base64 HMAC-SHA256 of a body under one of the secrets. Compares in constant time.
 *
 * @param secrets several while the platform's secret is being replaced
 */
export function isSignedBy(secrets: readonly Uint8Array[], body: Uint8Array, signature: string): boolean {
  const given = Buffer.from(signature, "base64");
  // Accepts only the canonical encoding: `Buffer.from` ignores characters that are not base64.
  if (given.toString("base64") !== signature) return false;
  const matches = secrets.map((secret) => {
    const expected = createHmac("sha256", secret).update(body).digest();
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
  return matches.includes(true);
}
