/**
 * The characters of ids, link tokens, signing secrets and reference numbers: digits and lower-case letters without i,
 * l, o and u, as in Crockford's base32. 256 is a multiple of their number, 32, so that every character is equally
 * likely for a random byte.
 */
export const idAlphabet = "0123456789abcdefghjkmnpqrstvwxyz";

/** Returns one character of the alphabet for each byte. */
export function idText(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += idAlphabet.charAt(byte % idAlphabet.length);
  return text;
}
