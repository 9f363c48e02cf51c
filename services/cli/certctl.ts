import { Command } from "commander";
import { withConnectionOptions } from "./commands/connection-options.ts";
import { commands, groupDescriptions } from "./commands.ts";
import { exitCodesHelp } from "./output/exit-codes.ts";

const jsonHelp =
  "print results as JSON, one document per line; notes and errors are JSON documents on standard error: {note} " +
  "or {error, message, exitCode}";

/**
 * Builds the certctl program. For an invalid command line and for `--help`, parsing throws a CommanderError instead of
 * ending the process.
 *
 * @param isJson whether the caller reports command-line errors as JSON, so that Commander must not print them
 */
export function buildCertctl(isJson = false): Command {
  const program = withConnectionOptions(new Command("certctl"))
    .description(
      "Administers the certificate registry. Commands that change the registry print their target on stderr.",
    )
    .option("--json", jsonHelp)
    .configureHelp({ showGlobalOptions: true })
    .exitOverride()
    .showHelpAfterError("(to list all commands, run 'certctl --help')")
    .addHelpText("after", exitCodesHelp());
  if (isJson) program.configureOutput({ writeErr: () => undefined });
  for (const { groups, build } of commands) {
    const group = groups.reduce(groupOf, program);
    group.addCommand(build().copyInheritedSettings(group));
  }
  return program;
}

function groupOf(parent: Command, name: string): Command {
  const existing = parent.commands.find((command) => command.name() === name);
  return existing ?? parent.command(name).description(groupDescriptions[name] ?? "");
}
