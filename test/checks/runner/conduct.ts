/** A run in words. */
export interface ReportLines {
  /** For people. */
  readonly lines: readonly string[];
  /** The counts. */
  readonly json: string;
  /** Whether the promise was kept. */
  readonly isGood: boolean;
}

/** Says one line to people. */
export type Say = (line: string) => void;

/** One run of a check. */
export interface CheckRun<Stack extends { close(): Promise<void> }> {
  /** Undefined where nothing is left to chance. */
  readonly seed?: number;
  /** All of it must be done within this time. */
  readonly limitMs: number;
  /** Starts the system under test. */
  readonly start: (over: AbortSignal, say: Say) => Promise<Stack>;
  readonly examine: (stack: Stack, over: AbortSignal, say: Say) => Promise<ReportLines>;
}

/**
 * Starts the system, examines it and ends it. The first line on standard output is the seed, if there is one, the last one
 * a JSON object with the counts; what is for people goes to standard error.
 *
 * @returns the exit code: 0 when the promise was kept
 * @throws Error when the run could not be made
 */
export async function conduct<Stack extends { close(): Promise<void> }>(
  run: CheckRun<Stack>,
  signal: AbortSignal,
): Promise<number> {
  const say: Say = (line) => void process.stderr.write(`${line}\n`);
  const print = (line: string) => void process.stdout.write(`${line}\n`);
  if (run.seed !== undefined) print(`seed ${run.seed}`);
  const over = AbortSignal.any([signal, AbortSignal.timeout(run.limitMs)]);
  const stack = await run.start(over, say);
  try {
    const { lines, json, isGood } = await run.examine(stack, over, say);
    for (const line of lines) say(line);
    print(json);
    return isGood ? 0 : 1;
  } finally {
    await stack.close();
  }
}
