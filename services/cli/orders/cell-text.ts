const CONTROL = /\p{Cc}/u;

/** The text on one line: each run of line breaks and tabs becomes a single space. */
export function onOneLine(text: string): string {
  return text.replace(/[\r\n\t]+/g, " ");
}

/** Whether the text holds a control character (U+0000–U+001F, U+007F–U+009F). */
export function hasControl(text: string): boolean {
  return CONTROL.test(text);
}

/**
 * What is wrong with a text that must have at most `charactersMax` characters (UTF-16 code units, as the registry
 * counts), none of them a control character: the end of a sentence ("is longer than 255 characters"); null when it is
 * fine. An empty text is fine.
 */
export function textFault(text: string, charactersMax: number): string | null {
  if (text.length > charactersMax) return `is longer than ${charactersMax} characters`;
  if (hasControl(text)) return "holds a control character";
  return null;
}
