import { createHash, randomBytes } from "node:crypto";
import { linkSecretPrefix, sessionTokenPrefix } from "#shared/keys/session-prefixes.ts";

const secretBytes = 32;

/**
 * Generates the token of a session: {@link sessionTokenPrefix} and 32 random bytes in Base64url. People type neither it
 * nor the secret of a link, so they lack the checksum of a `CheckedToken`.
 */
export function generateSessionToken(): string {
  return sessionTokenPrefix + randomBytes(secretBytes).toString("base64url");
}

/** Generates the secret of a sign-in link: {@link linkSecretPrefix} and 32 random bytes in Base64url. */
export function generateLinkSecret(): string {
  return linkSecretPrefix + randomBytes(secretBytes).toString("base64url");
}

/** Returns the SHA-256 of a token or secret, in Base64url. Only this hash is stored. */
export function secretHash(secret: string): string {
  return createHash("sha256").update(secret, "utf8").digest("base64url");
}
