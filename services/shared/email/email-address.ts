/** Maximum length of an e-mail address, in UTF-16 code units. */
export const emailCharactersMax = 254;

const emailPattern = /^(?:"[^"\s\p{Cc}\p{Cf}]+"|[^"@\s\p{Cc}\p{Cf}]+)@[^"@\s\p{Cc}\p{Cf}]+$/u;

/**
 * Checks the syntax of an e-mail address: a local part, `@` and a domain, with at most 254 characters and no white
 * space, control or invisible characters. A quoted local part may itself contain `@`. Does not check that the address
 * receives mail.
 */
export function isEmailAddress(text: string): boolean {
  return text.length <= emailCharactersMax && emailPattern.test(text);
}

/**
 * Checks an e-mail address that a person has entered: its domain must also contain a dot, because an address on the
 * internet without one has most likely lost its end.
 */
export function isInternetAddress(text: string): boolean {
  return isEmailAddress(text) && /[^.]\.[^.]+$/.test(text.slice(text.lastIndexOf("@") + 1));
}

/**
 * Normalizes an e-mail address for comparison: NFC and locale-independent lower case. Apply it to stored addresses and
 * to queries.
 */
export function emailKey(email: string): string {
  // Normalizes again: some letters, such as J with caron, have a composed form only in lower case.
  return email.normalize("NFC").toLowerCase().normalize("NFC");
}
