import { Command } from "commander";
import { chooseStore } from "../registry-client/choose-store.ts";
import { createRegistryClient, type RegistryClient } from "../registry-client/registry-client.ts";
import { errorMessage } from "./error-message.ts";
import { printError } from "./print.ts";

/** Options that every command accepts. */
export interface GlobalOptions {
  /** The registry's gRPC address, `host:port`. */
  readonly registry: string;
  readonly store?: string;
}

/** The argument of {@link CommandSpec.run}. */
export interface CommandContext<Options> {
  /** Connects on its first call, and is closed when the command ends. */
  readonly client: RegistryClient;
  /** Returns the id of the store that `--store` names, or of the registry's only store. */
  readonly storeId: () => Promise<string>;
  readonly options: Options & GlobalOptions;
  readonly args: readonly string[];
}

/** The argument of {@link defineCommand}. */
export interface CommandSpec<Options> {
  /** All words of the command: `webhook rotate begin`. */
  readonly name: string;
  readonly description: string;
  readonly configure?: (command: Command) => Command;
  /** Runs the command. An error becomes one sentence on standard error and exit code 1. */
  readonly run: (context: CommandContext<Options>) => Promise<void>;
}

/** A command of certctl, ready to be registered. */
export interface CertctlCommand {
  /** The words before the last one: `["webhook", "rotate"]`. */
  readonly groups: readonly string[];
  readonly build: () => Command;
}

/** Defines a command. `Options` is the type of the options that `configure` adds. */
export function defineCommand<Options = object>(spec: CommandSpec<Options>): CertctlCommand {
  const words = spec.name.split(" ");
  return {
    groups: words.slice(0, -1),
    build() {
      const command = new Command(words.at(-1)).description(spec.description);
      spec.configure?.(command);
      return command.action(() => runCommand(command, spec.run));
    },
  };
}

async function runCommand<Options>(command: Command, run: CommandSpec<Options>["run"]): Promise<void> {
  const options = command.optsWithGlobals<Options & GlobalOptions>();
  const client = createRegistryClient(options.registry);
  try {
    const storeId = () => chooseStore(client, options.store);
    await run({ client, storeId, options, args: command.args });
  } catch (error) {
    printError(`certctl: ${errorMessage(error, options.registry)}`);
    process.exitCode = 1;
  } finally {
    client.close();
  }
}
