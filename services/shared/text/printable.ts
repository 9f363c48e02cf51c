/**
 * Makes untrusted text safe for a terminal. Replaces each control character (which can move the cursor or change
 * colours), each Unicode line or paragraph separator, and each character that can change the text direction with `�`.
 * Keeps tabs, and normalizes line breaks to `\n`.
 */
export function printable(text: string): string {
  const lines = text.replaceAll(/\r\n?/g, "\n");
  return lines.replaceAll(/(?![\n\t])[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu, "\ufffd");
}
