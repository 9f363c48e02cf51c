import { type Command, CommanderError } from "commander";
import { expect, test } from "vitest";
import { messagesIn } from "#shared/texts/text-files.ts";
import { buildCertctl } from "../../services/cli/certctl.ts";
import { documents, textOf } from "./repository.ts";

/** Stands for a placeholder or a quoted value. */
const anything = "X";

/** Returns the command lines of certctl in code, without its name. Each ends at a comment, a pipe or such. */
function commandLines(code: string): string[] {
  const plain = code
    .replaceAll(/\\\n\s*/g, " ")
    .replaceAll(/\s#\s.*$/gm, "")
    .replaceAll(/<[^<>\n]*>|'[^'\n]*'|"[^"\n]*"/g, anything);
  return [...plain.matchAll(/\bcertctl (?:-- )?([a-z-][^|;&>\n)]*)/g)]
    .map(([, line = ""]) => line.trim())
    .filter((line) => !/^--( X)?$/.test(line));
}

/** Returns the blocks and spans of code in a document. */
function codeIn(document: string): string[] {
  const block = /^ *```.*\n([\s\S]*?)^ *```/gm;
  const text = textOf(document);
  return [...text.matchAll(block), ...text.replaceAll(block, "").matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code);
}

/** What a mention of a command may lack, and a request for help. */
const tolerated = /^commander\.(missing(Argument|MandatoryOptionValue)|optionMissingArgument|help.*|version)$/;

/** Returns what certctl refuses in a command line; placeholders are accepted as any value. */
async function problemIn(line: string): Promise<string | undefined> {
  const certctl = await buildCertctl();
  withoutEffect(certctl);
  try {
    certctl.parse(line.split(/\s+/), { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return tolerated.test(error.code) ? undefined : error.message;
  }
  return undefined;
}

/** Makes a program only parse: no command acts or prints, and values are not parsed, except for choices. */
function withoutEffect(command: Command): void {
  command.configureOutput({ writeOut: () => undefined, writeErr: () => undefined });
  for (const value of [...command.options, ...command.registeredArguments])
    value.argChoices === undefined ? value.argParser(String) : value.choices([anything, ...value.argChoices]);
  if (command.commands.length === 0) command.action(() => undefined);
  else command.commands.forEach(withoutEffect);
}

const notes = "charts/certificate-registry/templates/NOTES.txt";
const sources = [
  ...documents.flatMap((document) => codeIn(document).map((code) => ({ where: document, code }))),
  ...textOf(notes)
    .split("\n")
    .map((code) => ({ where: notes, code })),
  ...Object.entries(messagesIn("en")).flatMap(([where, text]) =>
    Array.from(text.matchAll(/'(certctl [^']+)'/g), ([, code = ""]) => ({ where, code })),
  ),
];
const lines = sources.flatMap(({ where, code }) => commandLines(code).map((line) => ({ where, line })));

test("certctl accepts the commands, options and values in documents, in the chart's notes and in texts", async () => {
  expect(lines.length).toBeGreaterThan(100);
  const refused: string[] = [];
  for (const { where, line } of lines) {
    const problem = await problemIn(line);
    if (problem !== undefined) refused.push(`${where}: certctl ${line}: ${problem}`);
  }
  expect(refused).toEqual([]);
});

test.each([
  ["certctl certificate lst", "unknown command 'lst'"],
  ["certctl --store <store> key list --grace 24h", "unknown option '--grace'"],
  ["certctl event list --outcome faild | head", "argument 'faild' is invalid"],
  ["certctl plan set gold  # the plan", "argument value 'gold' is invalid"],
  ["npm run -s certctl -- key revoke a b --yes", "too many arguments"],
  ["certctl operator create ada --right inspect chnge --for '*'", "argument 'chnge' is invalid"],
])("recognizes a command that certctl refuses: %s", async (code, problem) => {
  const [line = ""] = commandLines(code);
  expect(await problemIn(line)).toContain(problem);
});
