/**
 * A text that strangers wrote, safe to show in a terminal: what could move the cursor, change colours or turn the reading
 * direction becomes `�`. Line ends and tabs stay.
 */
export function printable(text: string): string {
  const lines = text.replaceAll(/\r\n?/g, "\n");
  return lines.replaceAll(/(?![\n\t])[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu, "\ufffd");
}
