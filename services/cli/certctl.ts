import { Command, Option } from "commander";
import { commands, groupDescriptions } from "./commands.ts";
import { defaultRegistry } from "./registry-client/choose-registry.ts";

const registryHelp =
  "gRPC address of the registry; default: the address that npm start wrote to .data/demo.json of this checkout, " +
  `otherwise ${defaultRegistry}`;
const storeHelp = "store to act on; optional if the registry has only one store";

/** Builds the certctl program. The variables `CERTCTL_REGISTRY` and `CERTCTL_STORE` also set its global options. */
export function buildCertctl(): Command {
  const program = new Command("certctl")
    .description("Administers the certificate registry. Commands that change something name their target on stderr.")
    .addOption(new Option("--registry <host:port>", registryHelp).env("CERTCTL_REGISTRY"))
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
