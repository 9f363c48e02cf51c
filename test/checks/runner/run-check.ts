import type { CommandLine } from "../../harness/program/command-line.ts";
import { logToStderr, runProgram } from "../../harness/program/run-program.ts";
import type { Log } from "../../harness/supervisor/supervisor.ts";

/** The result of a check. */
export interface CheckReport {
  /** Written to standard error. */
  readonly lines: readonly string[];
  /** JSON object with the counts, written as the last line of standard output. */
  readonly json: string;
  /** Whether all observations met the requirements of the check. */
  readonly passed: boolean;
  /** Whether the check did all its work; otherwise, the report covers only the observations so far. Default true. */
  readonly complete?: boolean;
}

interface Check<Stack extends { close(): Promise<void> }> {
  /** Printed in the first line of standard output. Undefined for a check without random choices. */
  readonly seed?: number;
  /** Time limit of the examination. Default: no limit; the check must then end by itself when it makes no progress. */
  readonly limitMs?: number;
  /** @param signal aborts the start */
  readonly start: (signal: AbortSignal, log: Log) => Promise<Stack>;
  /**
   * @param signal aborts on Ctrl-C or SIGTERM, or after `limitMs`: the check then ends its work but leaves the stack
   * running, and reports its observations so far with `complete: false`, or throws if it has none
   */
  readonly examine: (stack: Stack, signal: AbortSignal, log: Log) => Promise<CheckReport>;
}

/**
 * Runs a check as the main program of this process: starts the system under test, examines it, prints the report and
 * stops the system. Exits with 0 when the check passed, 1 when it failed, 2 when it could not be completed.
 */
export function runCheck<Options, Stack extends { close(): Promise<void> }>(
  command: CommandLine<Options>,
  checkOf: (options: Options) => Check<Stack>,
): Promise<never> {
  return runProgram(command, async (options, stopped) => {
    const { seed, limitMs, start, examine } = checkOf(options);
    const print = (line: string) => void process.stdout.write(`${line}\n`);
    if (seed !== undefined) print(`seed ${seed}`);
    const stack = await startUnlessStopped(start, stopped);
    try {
      const announce = () => logToStderr("Stopping; the verdict so far follows. Press Ctrl-C again to exit now.");
      stopped.addEventListener("abort", announce);
      const signals = limitMs === undefined ? [stopped] : [stopped, AbortSignal.timeout(limitMs)];
      const report = await examine(stack, AbortSignal.any(signals), logToStderr);
      report.lines.forEach(logToStderr);
      print(report.json);
      return exitCodeOf(report);
    } finally {
      await stack.close();
    }
  });
}

/** Starts the stack. `stopped` aborts the start, but not later restarts: a verdict needs a running stack. */
async function startUnlessStopped<Stack>(
  start: (signal: AbortSignal, log: Log) => Promise<Stack>,
  stopped: AbortSignal,
): Promise<Stack> {
  const starting = new AbortController();
  const abort = () => starting.abort(stopped.reason);
  if (stopped.aborted) abort();
  stopped.addEventListener("abort", abort);
  try {
    return await start(starting.signal, logToStderr);
  } finally {
    stopped.removeEventListener("abort", abort);
  }
}

/**
 * Returns the exit code of a check: 1 if it failed, even if it ended early; 2 if it ended early without a fault;
 * otherwise 0.
 */
export function exitCodeOf({ passed, complete = true }: Pick<CheckReport, "passed" | "complete">): 0 | 1 | 2 {
  if (!passed) return 1;
  return complete ? 0 : 2;
}

/** Returns the message of a signal's reason; undefined while the signal is not aborted. */
export function abortReason({ aborted, reason }: AbortSignal): string | undefined {
  if (!aborted) return undefined;
  return reason instanceof Error ? reason.message : String(reason);
}

const findingsMax = 20;

/** Returns the first 20 findings and, if there are more, a line with the number of further findings. */
export function firstFindings(findings: readonly string[]): string[] {
  const others = findings.length - findingsMax;
  return [...findings.slice(0, findingsMax), ...(others > 0 ? [`and ${others} more`] : [])];
}
