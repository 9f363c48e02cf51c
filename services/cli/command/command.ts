import { Command } from "commander";
import { describeError } from "../output/describe-error.ts";
import { createOutput, type Output } from "../output/output.ts";
import { chooseStore } from "../registry-client/choose-store.ts";
import type { OperatorClient, StoreCalls } from "../registry-client/operator-client.ts";
import { connectTo, type Target, targetOf } from "./connection-options.ts";
import { optionOfField } from "./option-of-field.ts";

/** The option that every command accepts in addition to the connection options. */
interface CommonOptions {
  readonly json?: boolean;
}

interface CommandContext<Options> {
  /**
   * Connects on its first call, and is closed when the command ends. Reading this property throws if the TLS files
   * cannot be used, or if {@link CommandSpec.isOffline} is set.
   */
  readonly client: OperatorClient;
  /**
   * Returns the calls to the selected store or, if none is selected, to the registry's only store. If the command may
   * change the store, each call prints the store and the registry on standard error.
   */
  readonly selectStore: () => Promise<StoreCalls>;
  /** Chooses the target. Needed only with `isOffline`. @throws Error with the remedy if no target can be chosen */
  readonly chooseTarget: () => Target;
  readonly output: Output;
  readonly options: Options;
  /** Returns whether the command line contains an option, such as `certFile`; variables and defaults do not count. */
  readonly isGiven: (option: string) => boolean;
  readonly args: readonly string[];
  /** All of certctl's commands and options. */
  readonly program: Command;
}

interface CommandSpec<Options> {
  /** All words of the command: `webhook rotate begin`. */
  readonly name: string;
  /**
   * What the command may change in the registry. Unless this is `nothing`, the command prints the target on standard
   * error before it changes or previews anything.
   */
  readonly changes: "nothing" | "store" | "registry";
  /** Whether the command starts without a target, so that it cannot use `client` or `selectStore`. Default: false. */
  readonly isOffline?: boolean;
  readonly description: string;
  readonly configure?: (command: Command) => Command;
  /** Runs the command. If this throws, certctl reports the error and exits with the code for it (exit-codes.ts). */
  readonly run: (context: CommandContext<Options>) => Promise<void>;
}

/** A command of certctl, ready to be registered. */
export interface CertctlCommand {
  /** The words of the command's name except the last: `["webhook", "rotate"]` for `webhook rotate begin`. */
  readonly groups: readonly string[];
  readonly build: () => Command;
}

/** Defines a command. `Options` is the type of the options that `run` reads. */
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

async function runCommand<Options>(command: Command, spec: CommandSpec<Options>): Promise<void> {
  const options = command.optsWithGlobals<Options & CommonOptions>();
  const output = createOutput(options.json === true);
  // No target is chosen for an offline command, so that `context set` can correct a context that makes other commands
  // fail.
  const target = spec.isOffline ? undefined : targetOf(command);
  const registry = target?.registry.description ?? "";
  let client: OperatorClient | undefined;
  const connected = () => {
    if (target === undefined) throw new Error(`certctl ${spec.name} runs offline and has no connection to a registry.`);
    client ??= connectTo(target);
    return client;
  };
  try {
    const selectStore = async () => {
      const { id, shop } = await chooseStore(connected(), target?.store);
      if (spec.changes === "store") output.note(`target: store ${shop} (${id}), registry ${registry}`);
      return connected().inStore(id);
    };
    if (spec.changes === "registry") output.note(`target: registry ${registry}`);
    const isGiven = (option: string) => command.getOptionValueSourceWithGlobals(option) === "cli";
    await spec.run({
      get client() {
        return connected();
      },
      selectStore,
      output,
      options,
      isGiven,
      args: command.args,
      program: programOf(command),
      chooseTarget: () => targetOf(command),
    });
  } catch (error) {
    throw describeError(error, registry, (field) => optionOfField(command, field));
  } finally {
    output.flush();
    client?.close();
  }
}

function programOf(command: Command): Command {
  return command.parent === null ? command : programOf(command.parent);
}
