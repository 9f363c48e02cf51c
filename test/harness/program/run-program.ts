import type { CommandLine } from "../../../deploy/local/stack/command-line.ts";
import { exitOnSignals } from "../../../deploy/local/stack/exit-on-signals.ts";

/**
 * Runs a program with the arguments of this process, then exits with the code that `run` returns, or 2 after an error.
 * For `--help`, prints the usage instead and exits with 0.
 *
 * @param run its signal aborts on the first SIGINT or SIGTERM
 */
export async function runProgram<Options>(
  { usage, parse }: CommandLine<Options>,
  run: (options: Options, signal: AbortSignal) => Promise<number>,
): Promise<never> {
  try {
    const options = parse(process.argv.slice(2));
    if (options === undefined) process.stdout.write(`${usage}\n`);
    // Exits explicitly, because a handle left open would keep the process alive.
    process.exit(options === undefined ? 0 : await run(options, exitOnSignals()));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    process.exit(2);
  }
}

/** Writes a line for the user to standard error. */
export function logToStderr(line: string): void {
  process.stderr.write(`${line}\n`);
}
