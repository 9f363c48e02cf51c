import { createHmac } from "node:crypto";
import { idText } from "../text/id-alphabet.ts";
import { checkedToken } from "./checked-token.ts";
import { signingSecretPrefix } from "./signing-secret.ts";

/** The prefix of every listen token, by which secret scanners and people can recognize it. */
export const listenTokenPrefix = "crl_";

const token = checkedToken(listenTokenPrefix);

/** Generates a listen token (INTERFACE.md §4.6): {@link listenTokenPrefix} and what a {@link checkedToken} adds. */
export const generateListenToken = token.generate;

/**
 * Checks the format and the checksum of a listen token. Does not look the token up.
 *
 * @returns the token, or undefined for a string that {@link generateListenToken} cannot have generated
 */
export const parseListenToken = token.parse;

/** Returns the SHA-256 of a listen token, as of each {@link checkedToken}. */
export const hashListenToken = token.hash;

/**
 * Returns the signing secret of the messages that a token's listeners receive. It has the form of a webhook's secret,
 * but is derived from the token: the same for all listeners of a token and all replicas, and stored nowhere.
 */
export function listenSecretOf(listenToken: string): string {
  // 64 bytes; the 52 characters of a signing secret take one byte each.
  const bytes = createHmac("sha512", listenToken).update("signing secret").digest().subarray(0, 52);
  return signingSecretPrefix + idText(bytes);
}
