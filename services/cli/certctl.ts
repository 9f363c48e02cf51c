import { Command, Help, type Option } from "commander";
import { productVersion } from "#shared/lifecycle/product-version.ts";
import { withConnectionOptions } from "./command/connection-options.ts";
import { groupAliases, groupDescriptions, loadCommands } from "./commands.ts";
import { exitCodesHelp } from "./output/exit-codes.ts";

const jsonHelp =
  "print results as JSON, one document per line; notes and errors are JSON documents on standard error: {note} " +
  "or {error, message, exitCode}, with the reason of a refusal as {code, params}, and the field at fault";

/**
 * Builds the certctl program. For an invalid command line and for `--help`, parsing throws a CommanderError instead of
 * ending the process.
 *
 * @param words the command line, whose command's noun decides which commands are loaded. Default: all commands
 */
export async function buildCertctl(words: readonly string[] = []): Promise<Command> {
  const program = withConnectionOptions(new Command("certctl"))
    .description(
      "Administers the certificate registry. Commands that change the registry print their target on stderr.",
    )
    .version(productVersion, "--version", "show the version of certctl")
    .option("--json", jsonHelp)
    // The options of the program are those of all commands, which `certctl options` describes.
    .configureHelp({
      formatHelp: (command, helper) =>
        new Help().formatHelp(command, Object.assign(helper, { visibleOptions: ownOptions })),
    })
    .exitOverride()
    .addHelpText("beforeAll", ({ command }) => {
      refuseUnknownCommand(command);
      return "";
    })
    .addHelpText("afterAll", globalOptionsHelp)
    .showHelpAfterError("(to list all commands, run 'certctl --help')")
    .addHelpText("after", exitCodesHelp());
  // The caller reports command-line errors as JSON, so Commander must not print them.
  if (words.includes("--json")) program.configureOutput({ writeErr: () => undefined });
  for (const { groups, build } of await loadCommands(words)) {
    const group = groups.reduce(groupOf, program);
    group.addCommand(build().copyInheritedSettings(group));
  }
  return program;
}

const globalOptionsHelp = "\nGlobal options: --store, --registry, --context, --json and others; see 'certctl options'";

function ownOptions(command: Command): Option[] {
  const visible = new Help().visibleOptions(command);
  return command.parent === null ? visible.filter(({ long }) => long === "--version" || long === "--help") : visible;
}

/**
 * Reports a word that is not a command in a request for help, such as `certctl certifcate --help`, for which Commander
 * would print the help of the words before it.
 */
function refuseUnknownCommand(command: Command): void {
  const word = command.args.find((arg) => arg !== "help");
  if (word === undefined || word.startsWith("-") || command.commands.length === 0) return;
  const isKnown = command.commands.some((child) => child.name() === word || child.aliases().includes(word));
  if (!isKnown) command.parse([word], { from: "user" });
}

function groupOf(parent: Command, name: string): Command {
  const existing = parent.commands.find((command) => command.name() === name);
  if (existing !== undefined) return existing;
  const group = parent.command(name).description(groupDescriptions[name] ?? "");
  const alias = Object.keys(groupAliases).find((word) => groupAliases[word] === name);
  return alias === undefined ? group : group.alias(alias);
}
