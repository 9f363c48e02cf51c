import type { Command } from "commander";

/**
 * Returns the option or argument of a command that sets a field of its request: `--email` for `buyer.email` and
 * `new_owner_email`, `--expires` for `expires_at`, `<url>` for `url`. Undefined if none does.
 *
 * It is the one whose words all occur in the last part of the field's name; of several, the one with the most words.
 */
export function optionOfField(command: Command, field: string): string | undefined {
  const words = wordsOf(field.split(".").at(-1) ?? "");
  const candidates = [
    ...command.options.flatMap(({ long }) => (long ? [long] : [])),
    ...command.registeredArguments.map((argument) => `<${argument.name()}>`),
  ];
  return candidates
    .filter((candidate) => wordsOf(candidate).every((word) => words.includes(word)))
    .toSorted((one, other) => wordsOf(other).length - wordsOf(one).length)[0];
}

function wordsOf(name: string): readonly string[] {
  return name.match(/[a-z0-9]+/g) ?? [];
}
