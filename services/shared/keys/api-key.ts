import { createHash, randomInt } from "node:crypto";
import { crc32 } from "node:zlib";

/** What every API key begins with: secret scanners find it, and people see what it is. */
export const apiKeyPrefix = "crk_";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
// 62^32 is more than 2^190: nobody guesses a key, so a fast hash of it is safe to store.
const secretLength = 32;
// 62^6 is more than 2^32: enough for every CRC-32.
const checksumLength = 6;
const keyShape = new RegExp(`^${apiKeyPrefix}[0-9A-Za-z]{${secretLength + checksumLength}}$`);

/**
 * Makes a new API key (INTERFACE.md §5): {@link apiKeyPrefix}, 32 random base62 characters, and 6 base62
 * characters of the CRC-32 over what stands before them.
 */
export function generateApiKey(): string {
  const secret = Array.from({ length: secretLength }, () => alphabet.charAt(randomInt(alphabet.length)));
  const body = apiKeyPrefix + secret.join("");
  return body + checksum(body);
}

/**
 * Tells a text that can be an API key from one that cannot: a shape and a checksum, no look-up.
 *
 * @returns the key, or undefined for a text that {@link generateApiKey} cannot have made
 */
export function parseApiKey(text: string): string | undefined {
  if (!keyShape.test(text)) return undefined;
  const body = text.slice(0, -checksumLength);
  return text === body + checksum(body) ? text : undefined;
}

/** What stands for a key in storage and between services: the SHA-256 of its characters, 32 bytes. */
export function hashApiKey(key: string): Uint8Array {
  return createHash("sha256").update(key, "utf8").digest();
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
