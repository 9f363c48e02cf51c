import { randomBytes } from "node:crypto";

/** The prefix of every webhook signing secret, which secret scanners and people recognize. */
export const signingSecretPrefix = "whsec_";

/**
 * Generates a signing secret: {@link signingSecretPrefix} and 256 random bits in base64url. The HMAC key consists of
 * the characters of the secret, including the prefix, not of its decoded bytes.
 */
export function generateSigningSecret(): string {
  return signingSecretPrefix + randomBytes(32).toString("base64url");
}
