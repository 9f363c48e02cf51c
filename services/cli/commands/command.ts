import { Command } from "commander";
import { createOutput, type Output } from "../output/output.ts";
import { chooseStore } from "../registry-client/choose-store.ts";
import type { RegistryClient } from "../registry-client/registry-client.ts";
import { connectTo, registryOf } from "./connection-options.ts";
import { describeError } from "./describe-error.ts";

/** The options that every command accepts, apart from those of the connection. */
interface CommonOptions {
  /** Domain or id; absent or empty: the registry's only store. */
  readonly store?: string;
  readonly json?: boolean;
}

/** The argument of {@link CommandSpec.run}. */
export interface CommandContext<Options> {
  /**
   * Connects on its first call, and is closed when the command ends. Reading this property throws if the TLS files
   * cannot be used; a command that works offline does not read it.
   */
  readonly client: RegistryClient;
  /**
   * Returns the id of the store that `--store` names, or of the registry's only store. If the command may change the
   * store, also names the store on standard error.
   */
  readonly storeId: () => Promise<string>;
  readonly output: Output;
  readonly options: Options;
  readonly args: readonly string[];
}

/** The argument of {@link defineCommand}. */
export interface CommandSpec<Options> {
  /** All words of the command: `webhook rotate begin`. */
  readonly name: string;
  /**
   * What the command may change. Unless this is `nothing`, the command names the target on standard error before it
   * changes or previews anything.
   */
  readonly changes: "nothing" | "store" | "registry";
  readonly description: string;
  readonly configure?: (command: Command) => Command;
  /** Runs the command. If it throws, certctl reports the error and exits with its code (output/exit-codes.ts). */
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
      return command.action(() => runCommand(command, spec));
    },
  };
}

async function runCommand<Options>(command: Command, { changes, run }: CommandSpec<Options>): Promise<void> {
  const options = command.optsWithGlobals<Options & CommonOptions>();
  const output = createOutput(options.json === true);
  const registry = registryOf(command);
  let client: RegistryClient | undefined;
  const connected = () => {
    client ??= connectTo(registry, command);
    return client;
  };
  try {
    const storeId = async () => {
      const { id, shop } = await chooseStore(connected(), options.store || undefined);
      if (changes === "store") output.note(`target: store ${shop} (${id}), registry ${registry.description}`);
      return id;
    };
    if (changes === "registry") output.note(`target: registry ${registry.description}`);
    await run({
      get client() {
        return connected();
      },
      ...{ storeId, output, options, args: command.args },
    });
  } catch (error) {
    throw describeError(error, registry.description);
  } finally {
    output.flush();
    client?.close();
  }
}
