import { Command } from "commander";
import { productVersion } from "#shared/lifecycle/product-version.ts";
import { withConnectionOptions } from "./command/connection-options.ts";
import { groupDescriptions, loadCommands } from "./commands.ts";
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
    .configureHelp({ showGlobalOptions: true })
    .exitOverride()
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

function groupOf(parent: Command, name: string): Command {
  const existing = parent.commands.find((command) => command.name() === name);
  return existing ?? parent.command(name).description(groupDescriptions[name] ?? "");
}
