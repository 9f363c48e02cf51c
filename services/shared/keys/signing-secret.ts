import { randomBytes } from "node:crypto";

/** What every webhook signing secret begins with: secret scanners find it, and people see what it is. */
export const signingSecretPrefix = "whsec_";

/**
 * Makes a new signing secret: {@link signingSecretPrefix} and 256 random bits in base64url. The key of the HMAC is this text
 * as it is shown, prefix included, not what it would decode to.
 */
export function generateSigningSecret(): string {
  return signingSecretPrefix + randomBytes(32).toString("base64url");
}
