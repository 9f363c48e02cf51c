import { createHash, randomBytes } from "node:crypto";

/** The prefix of every operator token, by which secret scanners and people can recognize it. */
export const operatorTokenPrefix = "cop_";

const secretBytes = 32;

/**
 * Generates the token of an operator: {@link operatorTokenPrefix} and 32 random bytes in Base64url. Not a checkedToken,
 * because all operators are in memory, so a mistyped token costs no lookup.
 */
export function generateOperatorToken(): string {
  return operatorTokenPrefix + randomBytes(secretBytes).toString("base64url");
}

/** Returns whether {@link generateOperatorToken} could have generated the string. */
export function isOperatorToken(text: string): boolean {
  if (!text.startsWith(operatorTokenPrefix)) return false;
  const encoded = text.slice(operatorTokenPrefix.length);
  const secret = Buffer.from(encoded, "base64url");
  // Compares the canonical encoding, because Buffer ignores characters that are not Base64url.
  return secret.length === secretBytes && secret.toString("base64url") === encoded;
}

/** Returns the SHA-256 of a token in hexadecimal digits. The operators' file contains this hash, not the token. */
export function operatorTokenHash(token: string): string {
  return createHash("sha256").update(token, "utf8").digest("hex");
}
