/** Maximum length of an e-mail address, in UTF-16 code units. */
export const emailCharactersMax = 254;

const emailPattern = /^(?:"[^"\s\p{Cc}\p{Cf}]+"|[^"@\s\p{Cc}\p{Cf}]+)@[^"@\s\p{Cc}\p{Cf}]+$/u;

/**
 * Checks the syntax of an e-mail address: a local part, `@` and a domain, without spaces, control or invisible characters, at
 * most 254 characters. A quoted local part may contain further `@`. Does not check that the address receives mail.
 */
export function isEmailAddress(text: string): boolean {
  return text.length <= emailCharactersMax && emailPattern.test(text);
}

/**
 * Normalizes an e-mail address for comparison: NFC and locale-independent lower case. Used for stored addresses and for queries
 * alike.
 */
export function emailKey(email: string): string {
  // Normalizes again: an upper-case letter without a composed form (J with caron) may have a lower-case letter with one.
  return email.normalize("NFC").toLowerCase().normalize("NFC");
}
