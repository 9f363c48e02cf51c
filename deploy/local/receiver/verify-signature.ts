import { createHmac, timingSafeEqual } from "node:crypto";

/**
 * Whether a message comes from who knows the secret (interface specification §5). It takes as long for a wrong
 * signature as for the right one.
 *
 * @param header the value of `X-Service-Signature`, or undefined when there is none
 * @param rawBody the body's bytes as they came, before any parsing
 */
export function isSignedBy(secret: string, header: string | undefined, rawBody: Uint8Array): boolean {
  if (header === undefined || secret === "") return false;
  const expected = Buffer.from(`sha256=${createHmac("sha256", secret).update(rawBody).digest("hex")}`);
  const given = Buffer.from(header);
  return given.length === expected.length && timingSafeEqual(given, expected);
}
