import { Command } from "commander";
import { commands, groupDescriptions } from "./commands.ts";

const defaultRegistry = "127.0.0.1:9090";

/**
 * Builds the certctl program.
 *
 * @param env `CERTCTL_REGISTRY` and `CERTCTL_STORE` set the defaults of the global options
 */
export function buildCertctl(env: Readonly<Record<string, string | undefined>>): Command {
  const program = new Command("certctl")
    .description("Administers the certificate registry.")
    .option("--registry <host:port>", "gRPC address of the registry", env.CERTCTL_REGISTRY ?? defaultRegistry)
    .option("--store <domain or id>", "store to act on; optional if the registry has only one store", env.CERTCTL_STORE)
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
