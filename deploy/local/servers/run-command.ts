import { execa } from "execa";
import { SetupError } from "./setup-error.ts";

/** A command that is expected to exit by itself. */
interface CommandOptions {
  readonly command: string;
  readonly args: readonly string[];
  /** Added to the environment that the command inherits; an undefined value removes a variable. */
  readonly env?: NodeJS.ProcessEnv;
  /** Working directory. Default: the one of this process. */
  readonly cwd?: string;
  /** Time limit; a command that exceeds it is killed and counts as failed. */
  readonly limitMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** Thrown when a command cannot be started, fails or times out. The message ends with the last lines of the output. */
export class CommandError extends SetupError {
  override name = "CommandError";
  /** The last line of the command's output; the empty string when there was no output. */
  readonly lastLine: string;

  constructor(sentence: string, output: string) {
    super(sentence + lastLinesOf(output));
    this.lastLine = output.trimEnd().split("\n").at(-1) ?? "";
  }
}

const lastLinesMax = 6;

/** Returns the last six non-blank lines of a command's output, each indented on a new line, to append to a sentence. */
export function lastLinesOf(output: string): string {
  const lines = output.split("\n").filter((line) => line.trim() !== "");
  return lines
    .slice(-lastLinesMax)
    .map((line) => `\n    ${line}`)
    .join("");
}

/**
 * Runs a command and returns its output, stdout and stderr interleaved.
 *
 * @throws CommandError when it cannot be started, fails or exceeds the time limit; the reason of `signal` when `signal`
 * aborts
 */
export async function runCommand(options: CommandOptions): Promise<string> {
  const { command, args, env = {}, cwd = process.cwd(), limitMs, signal } = options;
  const result = await execa(command, args, {
    env,
    cwd,
    stdin: "ignore",
    all: true,
    timeout: limitMs,
    killSignal: "SIGKILL",
    reject: false,
    ...(signal && { cancelSignal: signal }),
  });
  signal?.throwIfAborted();
  if (!result.failed) return result.all;
  const { timedOut, exitCode, signal: killedBy, originalMessage, all = "" } = result;
  let outcome = `could not be run (${originalMessage})`;
  if (timedOut) outcome = `took longer than ${Math.round(limitMs / 1000)} s`;
  else if (exitCode !== undefined) outcome = `failed with code ${exitCode}`;
  else if (killedBy !== undefined) outcome = `was killed by ${killedBy}`;
  throw new CommandError(`${command} ${outcome}`, all);
}

/** Runs a command. @returns its output; the empty string when it fails @throws the reason of `signal` when it aborts */
export async function outputOf(options: CommandOptions): Promise<string> {
  try {
    return await runCommand(options);
  } catch (error) {
    if (error instanceof CommandError) return "";
    throw error;
  }
}
