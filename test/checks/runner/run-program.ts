import { exitOnSignals } from "./exit-on-signals.ts";

/** A check as a command. */
export interface CheckProgram<Options extends { readonly help: boolean }> {
  readonly usage: string;
  /** @throws Error naming the argument at fault */
  readonly parse: (args: readonly string[]) => Options;
  /** @returns the exit code */
  readonly run: (options: Options, signal: AbortSignal) => Promise<number>;
}

/** Runs it with the arguments of this process and ends the process: with 2 when the check could not be made. */
export async function runProgram<Options extends { readonly help: boolean }>(
  program: CheckProgram<Options>,
): Promise<never> {
  try {
    const options = program.parse(process.argv.slice(2));
    if (options.help) process.stdout.write(`${program.usage}\n`);
    // Nothing that was left open may keep the process alive.
    process.exit(options.help ? 0 : await program.run(options, exitOnSignals()));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    process.exit(2);
  }
}
