import { randomBytes } from "node:crypto";
import { standardSecretPrefix } from "../webhook/standard-signature.ts";

/** The prefix of every new webhook signing secret, by which secret scanners and people can recognize it. */
export const signingSecretPrefix = "crs_";

// Without i, l, o and u, as in Crockford's base32. Lower case only, so that a secret does not look like Base64, which
// an integrator might decode.
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
// 32^52 = 2^260.
const randomCharacters = 52;

/**
 * Generates a webhook signing secret (INTERFACE.md §5): `crs_` and 52 random lower-case letters and digits (260 bits).
 * The HMAC key is the text itself, including the prefix; no part of it is decoded.
 */
export function generateSigningSecret(): string {
  let secret: string = signingSecretPrefix;
  // 256 is a multiple of the alphabet's 32 characters, so every character is equally likely.
  for (const byte of randomBytes(randomCharacters)) secret += alphabet.charAt(byte % alphabet.length);
  return secret;
}

/** Returns the prefix of a secret, `crs_` or that of Standard Webhooks, or the empty string if it has neither. */
export function signingSecretPrefixOf(secret: string): string {
  return [signingSecretPrefix, standardSecretPrefix].find((known) => secret.startsWith(known)) ?? "";
}
