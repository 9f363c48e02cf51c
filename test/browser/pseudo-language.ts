import { type MessageFormatElement, parse, TYPE } from "@formatjs/icu-messageformat-parser";
import { printAST } from "@formatjs/icu-messageformat-parser/printer.js";
import type { Messages } from "../../deploy/texts/text-modules.ts";

const plainLetters = "aceilnosuyzACEILNOSUYZ";
const accentedLetters = "ąćęïłńóśůýżĄĆĘÏŁŃÓŚŮÝŻ";

/** A word that no text has, for each plural form; it shows which form a page has chosen. */
export const formWords: Readonly<Record<Intl.LDMLPluralRule, string>> = {
  zero: "żęřó",
  one: "ówńë",
  two: "ţwółł",
  few: "fęwłó",
  many: "mąńýż",
  other: "óţhęř",
};

/**
 * Turns English texts into those of a pseudo-language: accented, at least 40 % longer, and with a plural form for each
 * one that `language` distinguishes wherever a number is inserted.
 *
 * @param language a tag whose plural rules apply, such as `pl`
 */
export function pseudoLanguage(language: string, english: Messages): Messages {
  const forms = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
  return Object.fromEntries(
    Object.entries(english).map(([key, message]) => [key, printAST(pseudoElements(parse(message), forms))]),
  );
}

function pseudoElements(
  elements: readonly MessageFormatElement[],
  forms: readonly Intl.LDMLPluralRule[],
): MessageFormatElement[] {
  return elements.map((element) => {
    switch (element.type) {
      case TYPE.literal:
        return { type: TYPE.literal, value: pseudoText(element.value) };
      case TYPE.number:
        return plural(element.value, forms, [{ type: TYPE.pound }]);
      case TYPE.plural:
        return plural(element.value, forms, pseudoElements(element.options.other?.value ?? [], forms));
      default:
        return element;
    }
  });
}

function plural(
  name: string,
  forms: readonly Intl.LDMLPluralRule[],
  content: MessageFormatElement[],
): MessageFormatElement {
  const options = forms.map((form) => [
    form,
    { value: [...content, { type: TYPE.literal, value: ` ${formWords[form]}` }] },
  ]);
  return { type: TYPE.plural, value: name, options: Object.fromEntries(options), offset: 0, pluralType: "cardinal" };
}

/** Replaces letters by accented ones, and adds words of up to seven letters until the text is 40 % longer. */
function pseudoText(text: string): string {
  const letters = text.replace(/[a-zA-Z]/g, (letter) => accentedLetters[plainLetters.indexOf(letter)] ?? letter);
  const added = "łóńg ţęxţýż "
    .repeat(text.length)
    .slice(0, Math.ceil(text.trim().length * 0.4))
    .trim();
  // Before the space or the punctuation that ends the text.
  return letters.replace(/[\s.:?]*$/, (end) => (added === "" ? end : ` ${added}${end}`));
}
