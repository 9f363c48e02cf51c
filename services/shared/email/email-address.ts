/** How long an e-mail address may be, in UTF-16 code units. */
export const emailCharactersMax = 254;

const SHAPE = /^(?:"[^"\s\p{Cc}\p{Cf}]+"|[^"@\s\p{Cc}\p{Cf}]+)@[^"@\s\p{Cc}\p{Cf}]+$/u;

/**
 * Whether the text can be an e-mail address: something, one `@` (more only inside a quoted local part), something; no
 * spaces, control or invisible characters; at most 254 characters. Whether it receives mail is another question.
 */
export function isEmailAddress(text: string): boolean {
  return text.length <= emailCharactersMax && SHAPE.test(text);
}

/**
 * The form in which e-mail addresses are compared: NFC and locale-free lower case. The one function for writing and for
 * asking.
 */
export function emailKey(email: string): string {
  // Composed again: a capital without a composed form (J with caron) may have a small letter with one.
  return email.normalize("NFC").toLowerCase().normalize("NFC");
}
