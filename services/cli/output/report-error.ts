import { CommanderError } from "commander";
import { ServiceError } from "#shared/errors/service-error.ts";
import { exitCodeOf, exitCodes } from "./exit-codes.ts";
import { printError } from "./print.ts";
import { UsageError } from "./usage-error.ts";

/**
 * Prints an error and sets the exit code. With `--json`, the error is the document `{error, message, exitCode}`, with
 * the `reason` of a refusal as its code and parameters, and the `field` at fault, if the error has them.
 *
 * @param error its message is shown without Commander's prefix `error: `
 */
export function reportError(error: unknown, isJson: boolean): void {
  const exitCode = exitCodeOf(error);
  process.exitCode = exitCode;
  // Commander has printed the help that was requested.
  if (exitCode === exitCodes.done.code) return;
  const message = messageOf(error);
  // Undefined fields are left out.
  const { why: reason, field } = error instanceof ServiceError ? error : {};
  if (isJson) printError(JSON.stringify({ error: errorName(error), message, exitCode, reason, field }));
  // Commander has printed its own errors, with a reference to the help.
  else if (!(error instanceof CommanderError)) printError(`certctl: ${message}`);
}

function messageOf(error: unknown): string {
  // When a group is called without a command, the message of Commander's error is only a placeholder.
  if (error instanceof CommanderError && error.code === "commander.help")
    return "Specify a command. To list all commands, run 'certctl --help'.";
  return error instanceof Error ? error.message.replace(/^error: /, "") : String(error);
}

function errorName(error: unknown): string {
  if (error instanceof CommanderError || error instanceof UsageError) return "usage";
  return error instanceof ServiceError ? error.code : "failed";
}
