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

const label = "[\\p{L}\\p{M}\\p{N}](?:[\\p{L}\\p{M}\\p{N}-]*[\\p{L}\\p{M}\\p{N}])?";
const mailDomainPattern = new RegExp(`^(?:${label}\\.)+${label}$`, "u");
// No name below this domain exists (RFC 2606, section 2), such as that of the addresses of erased persons.
const invalidDomain = ".invalid";

/**
 * Checks whether mail to an address could be delivered: its domain is a host name with at least one dot, because no
 * top-level domain may receive mail (RFC 7085), and does not end in `.invalid`. For addresses that a person enters now;
 * whatever else is an address ({@link isEmailAddress}) may be stored, and is found.
 */
export function canReceiveMail(text: string): boolean {
  const key = emailKey(text);
  const domain = key.slice(key.lastIndexOf("@") + 1);
  return isEmailAddress(text) && mailDomainPattern.test(domain) && !domain.endsWith(invalidDomain);
}

/**
 * Normalizes an e-mail address for comparison: NFC and locale-independent lower case. Apply it to stored addresses and
 * to queries.
 */
export function emailKey(email: string): string {
  // Normalizes again: some letters, such as J with caron, have a composed form only in lower case.
  return email.normalize("NFC").toLowerCase().normalize("NFC");
}
