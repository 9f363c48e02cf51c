import { type MessageShape, messageShape } from "./message-shape.ts";
import type { Messages } from "./text-modules.ts";

/**
 * Compares the texts of a language with the English ones.
 *
 * @returns a line for each text that is missing, empty or unknown, is not a valid message, has other arguments than the
 * English one, or lacks a plural form that the language distinguishes
 */
export function languageProblems(language: string, messages: Messages, english: Messages): readonly string[] {
  const unknown = Object.keys(messages).filter((key) => !Object.hasOwn(english, key));
  return [
    ...unknown.map((key) => `${key} is not in English`),
    ...Object.entries(english).flatMap(([key, original]) => {
      const message = messages[key];
      if (message === undefined || message.trim() === "") return [`${key} is missing`];
      return messageProblems(language, message, original).map((problem) => `${key} ${problem}`);
    }),
  ];
}

function messageProblems(language: string, message: string, original: string): readonly string[] {
  let shape: MessageShape;
  try {
    shape = messageShape(message);
  } catch (error) {
    return [`is not a valid message: ${error instanceof Error ? error.message : error}`];
  }
  const [found, expected] = [shape, messageShape(original)].map(({ argumentTypes }) =>
    [...argumentTypes]
      .map(([name, type]) => `${name} (${type})`)
      .sort()
      .join(", "),
  );
  return [
    ...(found === expected ? [] : [`has the arguments [${found}], and English has [${expected}]`]),
    ...shape.plurals.flatMap(({ type, forms }) => {
      const missing = new Intl.PluralRules(language, { type })
        .resolvedOptions()
        .pluralCategories.filter((form) => !forms.includes(form));
      return missing.length === 0 ? [] : [`lacks the plural forms ${missing.sort().join(", ")}`];
    }),
  ];
}
