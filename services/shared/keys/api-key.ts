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

/** Returns the SHA-256 of an API key, as of each {@link checkedToken}. */
export const hashApiKey = token.hash;
