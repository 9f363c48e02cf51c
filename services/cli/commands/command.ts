import path from "node:path";
import type { Command } from "commander";
import { ServiceError } from "#shared/errors/service-error.ts";
import { toServiceError } from "#shared/rpc/error-conversion.ts";
import { createRegistryClient, type RegistryClient } from "../registry-client/registry-client.ts";

/** Options that every command has. */
export interface GlobalOptions {
  /** The registry's gRPC address, `host:port`. */
  readonly registry: string;
  /** A store's domain or id. */
  readonly store?: string;
}

/**
 * Gives a command its work: a client that is closed afterwards, and errors as one sentence on standard error with exit
 * code 1.
 */
export function runs<Options>(
  command: Command,
  work: (client: RegistryClient, options: Options & GlobalOptions, args: readonly string[]) => Promise<void>,
): Command {
  return runsLocally<Options>(command, async (options, args) => {
    const client = createRegistryClient(options.registry);
    try {
      await work(client, options, args);
    } finally {
      client.close();
    }
  });
}

/** Gives a command its work that needs no registry; errors as {@link runs} shows them. */
export function runsLocally<Options>(
  command: Command,
  work: (options: Options & GlobalOptions, args: readonly string[]) => Promise<void>,
): Command {
  return command.action(async () => {
    const options = command.optsWithGlobals<Options & GlobalOptions>();
    try {
      await work(options, command.args);
    } catch (error) {
      printError(`certctl: ${sentenceOf(error, options.registry)}`);
      process.exitCode = 1;
    }
  });
}

/** Where a file is that the user named: npm runs certctl in the project's folder, not in the user's. */
export function givenPath(file: string): string {
  return path.resolve(process.env.INIT_CWD ?? ".", file);
}

/** One line on standard output. */
export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** One line on standard error. */
export function printError(line: string): void {
  process.stderr.write(`${line}\n`);
}

function sentenceOf(error: unknown, address: string): string {
  if (error instanceof Error && "code" in error && error.code === "ENOENT" && "path" in error)
    return `There is no file ${error.path}.`;
  // Files that cannot be read and exports that cannot be used say so themselves.
  if (error instanceof Error && !(error instanceof ServiceError) && error.name !== "ConnectError")
    return error.message;
  const { code, message } = toServiceError(error);
  return code === "unavailable" ? `${message} (the registry at ${address})` : message;
}
