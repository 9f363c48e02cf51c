import { spawn } from "node:child_process";
import { SetupError, sentenceOf } from "./setup-error.ts";

/** A command that is expected to end by itself. */
export interface CommandOptions {
  readonly command: string;
  readonly args: readonly string[];
  /** On top of the environment of this process. */
  readonly env?: NodeJS.ProcessEnv;
  /** After this time the command is killed and counts as failed. */
  readonly limitMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** A command that could not be run, failed or took too long. The message ends with the last lines it printed. */
export class CommandError extends SetupError {
  override name = "CommandError";
  /** The very last line it printed; empty when it printed nothing. */
  readonly lastLine: string;

  constructor(sentence: string, output: string) {
    super(sentence + lastLinesOf(output));
    this.lastLine = output.trimEnd().split("\n").at(-1) ?? "";
  }
}

const outputCharactersMax = 100_000;
const lastLinesMax = 6;

/** The last lines of some output, indented, to stand below a sentence. */
export function lastLinesOf(output: string): string {
  const lines = output.split("\n").filter((line) => line.trim() !== "");
  return lines
    .slice(-lastLinesMax)
    .map((line) => `\n    ${line}`)
    .join("");
}

/** Runs a command to its end and resolves to what it printed, or rejects with CommandError. */
export async function runCommand(options: CommandOptions): Promise<string> {
  const { command, args, limitMs, signal } = options;
  signal?.throwIfAborted();
  const child = spawn(command, args, {
    env: { ...process.env, ...options.env },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: limitMs,
    killSignal: "SIGKILL",
    signal,
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output = (output + text).slice(-outputCharactersMax);
    });
  }
  const outcome = await new Promise<string | undefined>((resolve) => {
    child.once("error", (error) => resolve(`could not be run (${sentenceOf(error)})`));
    child.once("close", (code) => {
      if (code === 0) resolve(undefined);
      else if (child.killed) resolve(`took longer than ${Math.round(limitMs / 1000)} s`);
      else resolve(`failed${code === null ? "" : ` with code ${code}`}`);
    });
  });
  signal?.throwIfAborted();
  if (outcome !== undefined) throw new CommandError(`${command} ${outcome}`, output);
  return output;
}
