import { randomBytes } from "node:crypto";

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";

/** A new random id: the prefix, `_` and 24 characters (120 bits) that are safe in URLs, subjects and file names. */
export function newId(prefix: "crt" | "evt" | "tst" | "agn" | "sto" | "key" | "smp" | "rep"): string {
  // 256 is a multiple of the alphabet's 32 characters, so every character is equally likely.
  const characters = Array.from(randomBytes(24), (byte) => alphabet.charAt(byte % alphabet.length));
  return `${prefix}_${characters.join("")}`;
}
