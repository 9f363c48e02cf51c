import { hash } from "node:crypto";
import { checkedToken } from "./checked-token.ts";

/** The prefix of every API key, by which secret scanners and people can recognize it. */
export const apiKeyPrefix = "crk_";

/** How long an old API key may remain valid after it is rolled, in days. */
export const graceDaysMax = 30;

const token = checkedToken(apiKeyPrefix);

/** Generates an API key (INTERFACE.md §5): {@link apiKeyPrefix} and what a {@link checkedToken} adds. */
export const generateApiKey = token.generate;

/**
 * Checks the format and the checksum of an API key. Does not look the key up.
 *
 * @returns the key, or undefined for a string that {@link generateApiKey} cannot have generated
 */
export const parseApiKey = token.parse;

/**
 * Returns the SHA-256 of a key (32 bytes). The registry stores this hash instead of the key, and the edge sends only
 * the hash to the registry.
 */
export function hashApiKey(key: string): Uint8Array {
  return hash("sha256", key, "buffer");
}
