/**
 * The form in which e-mail addresses are compared: NFC and locale-free lower case. The one function for writing and for
 * asking.
 */
export function emailKey(email: string): string {
  // Composed again: a capital without a composed form (J with caron) may have a small letter with one.
  return email.normalize("NFC").toLowerCase().normalize("NFC");
}
