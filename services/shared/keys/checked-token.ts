import { hash, randomInt } from "node:crypto";
import { crc32 } from "node:zlib";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
// 62^32 > 2^190: tokens cannot be guessed, so storing a fast hash is safe.
const secretLength = 32;
// 62^6 > 2^32: sufficient for a CRC-32.
const checksumLength = 6;

/** Tokens with a prefix and a checksum, so that a mistyped or foreign text is recognized without a lookup. */
interface CheckedToken {
  /** Generates a token: the prefix, 32 random base62 characters, and the CRC-32 of both as 6 base62 characters. */
  readonly generate: () => string;
  /**
   * Checks the format and the checksum of a text. Does not look the token up.
   *
   * @returns the token, or undefined for a text that `generate` cannot have generated
   */
  readonly parse: (text: string) => string | undefined;
  /** Returns the SHA-256 of a token (32 bytes), which is stored and sent to the registry instead of the token. */
  readonly hash: (token: string) => Uint8Array;
}

/** Creates the generator and the parser of the tokens with a prefix. */
export function checkedToken(prefix: string): CheckedToken {
  const pattern = new RegExp(`^${prefix}[0-9A-Za-z]{${secretLength + checksumLength}}$`);
  return {
    generate() {
      const secret = Array.from({ length: secretLength }, () => alphabet.charAt(randomInt(alphabet.length)));
      const body = prefix + secret.join("");
      return body + checksum(body);
    },
    parse(text) {
      if (!pattern.test(text)) return undefined;
      const body = text.slice(0, -checksumLength);
      return text === body + checksum(body) ? text : undefined;
    },
    hash: (token) => hash("sha256", token, "buffer"),
  };
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
