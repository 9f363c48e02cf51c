import { IntlMessageFormat } from "intl-messageformat";
import type { Language } from "./languages.ts";
import { messagesIn, type TextArguments, type TextKey } from "./text-files.ts";

/** The values of a text: none, or an object with each of its arguments. */
type Values<Key extends TextKey> = Key extends keyof TextArguments ? [values: TextArguments[Key]] : [];

/**
 * Returns the text of a key in one language. Values are inserted as plain text, and numbers as the language writes
 * them; `html` escapes the text.
 */
export type Text = <Key extends TextKey>(key: Key, ...values: Values<Key>) => string;

// Messages that were compiled, by language and key.
const compiled = new Map<string, IntlMessageFormat>();

/** Returns the texts in a language. Each message is compiled at its first use. */
export function textsFor(language: Language): Text {
  return (key, ...[values]) => String(messageOf(language, key).format(values));
}

/**
 * Returns the text of a key that a request or another process names, which may be of another version; undefined if
 * this version does not have the key or one of the values is missing.
 *
 * @param values by name, none by default; a number may be written as digits
 */
export function receivedText(
  language: Language,
  key: string,
  values: Readonly<Record<string, string | number>> = {},
): string | undefined {
  if (!isTextKey(key)) return undefined;
  try {
    return String(messageOf(language, key).format(values));
  } catch {
    return undefined;
  }
}

function isTextKey(key: string): key is TextKey {
  return Object.hasOwn(messagesIn("en"), key);
}

function messageOf(language: Language, key: TextKey): IntlMessageFormat {
  const id = `${language} ${key}`;
  const known = compiled.get(id);
  if (known !== undefined) return known;
  const message = new IntlMessageFormat(messagesIn(language)[key], language, undefined, { ignoreTag: true });
  compiled.set(id, message);
  return message;
}
