import { randomBytes } from "node:crypto";
import { idText } from "../text/id-alphabet.ts";
import { standardSecretPrefix } from "../webhook/standard-signature.ts";

/** The prefix of every new webhook signing secret, by which secret scanners and people can recognize it. */
export const signingSecretPrefix = "crs_";

// 32^52 = 2^260. Lower case only, so that a secret does not look like Base64, which an integrator might decode.
const randomCharacters = 52;

/**
 * Generates a webhook signing secret (INTERFACE.md §5): `crs_` and 52 random lower-case letters and digits (260 bits).
 * The HMAC key is the text itself, including the prefix; no part of it is decoded.
 */
export function generateSigningSecret(): string {
  return signingSecretPrefix + idText(randomBytes(randomCharacters));
}

/** Returns the prefix of a secret, `crs_` or that of Standard Webhooks, or the empty string if it has neither. */
export function signingSecretPrefixOf(secret: string): string {
  return [signingSecretPrefix, standardSecretPrefix].find((known) => secret.startsWith(known)) ?? "";
}
