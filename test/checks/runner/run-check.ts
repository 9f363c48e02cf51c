import type { CommandLine } from "../../harness/program/command-line.ts";
import { logToStderr, runProgram } from "../../harness/program/run-program.ts";
import type { Log } from "../../harness/supervisor/supervisor.ts";

/** The result of a check. */
export interface CheckReport {
  /** Written to standard error. */
  readonly lines: readonly string[];
  /** JSON object with the counts, written as the last line of standard output. */
  readonly json: string;
  /** Whether the guarantee was met. */
  readonly passed: boolean;
}

interface Check<Stack extends { close(): Promise<void> }> {
  /** Printed in the first line of standard output. Undefined for a check without random choices. */
  readonly seed?: number;
  readonly limitMs: number;
  readonly start: (signal: AbortSignal, log: Log) => Promise<Stack>;
  readonly examine: (stack: Stack, signal: AbortSignal, log: Log) => Promise<CheckReport>;
}

/**
 * Runs a check as the main program of this process: starts the system under test, examines it, reports and stops it.
 * Exits with 0 when the check passed, 1 when it failed, 2 when it could not be completed.
 */
export function runCheck<Options, Stack extends { close(): Promise<void> }>(
  command: CommandLine<Options>,
  checkOf: (options: Options) => Check<Stack>,
): Promise<never> {
  return runProgram(command, async (options, stopped) => {
    const { seed, limitMs, start, examine } = checkOf(options);
    const print = (line: string) => void process.stdout.write(`${line}\n`);
    if (seed !== undefined) print(`seed ${seed}`);
    const signal = AbortSignal.any([stopped, AbortSignal.timeout(limitMs)]);
    const stack = await start(signal, logToStderr);
    try {
      const { lines, json, passed } = await examine(stack, signal, logToStderr);
      lines.forEach(logToStderr);
      print(json);
      return passed ? 0 : 1;
    } finally {
      await stack.close();
    }
  });
}

const findingsMax = 20;

/** Returns the first 20 findings and, if there are more, a line with the number of further findings. */
export function firstFindings(findings: readonly string[]): string[] {
  const others = findings.length - findingsMax;
  return [...findings.slice(0, findingsMax), ...(others > 0 ? [`and ${others} more`] : [])];
}
