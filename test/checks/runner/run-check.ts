import { logToStderr } from "../../harness/program/run-program.ts";
import type { Log } from "../../harness/supervisor/supervisor.ts";

/** The result of a check. */
export interface CheckReport {
  /** For people; written to standard error. */
  readonly lines: readonly string[];
  /** Counts for programs; written to standard output as the last line. */
  readonly json: string;
  /** Whether the guarantee was met. */
  readonly passed: boolean;
}

/** One run of a check. */
export interface Check<Stack extends { close(): Promise<void> }> {
  /** Written to standard output as the first line. Undefined for a check without random choices. */
  readonly seed?: number;
  /** Limit of the whole run. */
  readonly limitMs: number;
  /** Starts the system under test. */
  readonly start: (signal: AbortSignal, log: Log) => Promise<Stack>;
  readonly examine: (stack: Stack, signal: AbortSignal, log: Log) => Promise<CheckReport>;
}

/**
 * Starts the system under test, examines it, reports and stops it.
 *
 * @returns the exit code: 0 when the check passed, 1 when it failed
 * @throws Error when the check could not be completed
 */
export async function runCheck<Stack extends { close(): Promise<void> }>(
  { seed, limitMs, start, examine }: Check<Stack>,
  stopped: AbortSignal,
): Promise<number> {
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
}

const findingsMax = 20;

/** Returns the first 20 findings, and a line with the number of the others. */
export function firstFindings(findings: readonly string[]): string[] {
  const others = findings.length - findingsMax;
  return [...findings.slice(0, findingsMax), ...(others > 0 ? [`and ${others} more`] : [])];
}
