/** Replaces each run of carriage returns, line feeds and tabs with one space. */
export function onOneLine(text: string): string {
  return text.replace(/[\r\n\t]+/g, " ");
}

/** Returns whether the text contains a control character (U+0000–U+001F, U+007F–U+009F). */
export function hasControl(text: string): boolean {
  return /\p{Cc}/u.test(text);
}

/**
 * Checks a string against the registry's rules: at most `charactersMax` characters (UTF-16 code units), no control
 * characters. An empty string is valid.
 *
 * @returns the predicate of an error sentence ("is longer than 255 characters"), or null for a valid string
 */
export function textFault(text: string, charactersMax: number): string | null {
  if (text.length > charactersMax) return `is longer than ${charactersMax} characters`;
  if (hasControl(text)) return "contains a control character";
  return null;
}
