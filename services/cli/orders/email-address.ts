const CHARACTERS_MAX = 254;
const SHAPE = /^(?:"[^"\s\p{Cc}\p{Cf}]+"|[^"@\s\p{Cc}\p{Cf}]+)@[^"@\s\p{Cc}\p{Cf}]+$/u;

/**
 * Whether the text can be an e-mail address: something, one `@` (more only inside a quoted local part), something; no
 * spaces, control or invisible characters; at most 254 characters. Whether it receives mail is another question.
 */
export function isEmailAddress(text: string): boolean {
  return text.length <= CHARACTERS_MAX && SHAPE.test(text);
}
