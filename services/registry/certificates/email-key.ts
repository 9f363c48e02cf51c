/**
 * The form in which e-mail addresses are compared: NFC and locale-free lower case. The one function for writing and for
 * asking.
 */
export function emailKey(email: string): string {
  return email.normalize("NFC").toLowerCase();
}
