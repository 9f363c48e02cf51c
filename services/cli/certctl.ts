import { Command, Option } from "commander";
import { withConnectionOptions } from "./commands/connection-options.ts";
import { commands, groupDescriptions } from "./commands.ts";

const storeHelp = "store to act on; optional if the registry has only one store";

/** Builds the certctl program. */
export function buildCertctl(): Command {
  const program = withConnectionOptions(new Command("certctl"))
    .description("Administers the certificate registry. Commands that change something name their target on stderr.")
    .addOption(new Option("--store <domain or id>", storeHelp).env("CERTCTL_STORE"))
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError("(certctl --help lists all commands)");
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
