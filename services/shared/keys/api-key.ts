import { hash, randomInt } from "node:crypto";
import { crc32 } from "node:zlib";

/** The prefix of every API key, by which secret scanners and people can recognize it. */
export const apiKeyPrefix = "crk_";

/** How long an old API key may remain valid after it is rolled, in days. */
export const graceDaysMax = 30;

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
// 62^32 > 2^190: keys cannot be guessed, so storing a fast hash is safe.
const secretLength = 32;
// 62^6 > 2^32: sufficient for a CRC-32.
const checksumLength = 6;
const keyPattern = new RegExp(`^${apiKeyPrefix}[0-9A-Za-z]{${secretLength + checksumLength}}$`);

/**
 * Generates an API key (INTERFACE.md §5): {@link apiKeyPrefix}, 32 random base62 characters, and the CRC-32 of the
 * prefix and the random characters as 6 base62 characters.
 */
export function generateApiKey(): string {
  const secret = Array.from({ length: secretLength }, () => alphabet.charAt(randomInt(alphabet.length)));
  const body = apiKeyPrefix + secret.join("");
  return body + checksum(body);
}

/**
 * Checks the format and the checksum of an API key. Does not look the key up.
 *
 * @returns the key, or undefined for a string that {@link generateApiKey} cannot have generated
 */
export function parseApiKey(text: string): string | undefined {
  if (!keyPattern.test(text)) return undefined;
  const body = text.slice(0, -checksumLength);
  return text === body + checksum(body) ? text : undefined;
}

/**
 * Returns the SHA-256 of a key (32 bytes). The registry stores this hash instead of the key, and the edge sends only
 * the hash to the registry.
 */
export function hashApiKey(key: string): Uint8Array {
  return hash("sha256", key, "buffer");
}

function checksum(body: string): string {
  let rest = crc32(body);
  let digits = "";
  for (let place = 0; place < checksumLength; place++) {
    digits = alphabet.charAt(rest % alphabet.length) + digits;
    rest = Math.floor(rest / alphabet.length);
  }
  return digits;
}
