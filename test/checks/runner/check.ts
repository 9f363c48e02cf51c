import { z } from "zod";
import { commandLine } from "../../../deploy/local/stack/command-line.ts";
import { logToStderr, runProgram } from "../../harness/program/run-program.ts";
import { type Stack, type StackOptions, startStack } from "../../harness/stack/start-stack.ts";
import type { Log } from "../../harness/supervisor/supervisor.ts";

/** What a check saw. */
export interface Outcome<Zero extends string = never> {
  /** The JSON object in the last line of standard output. Default: no such line. */
  readonly counts?: Readonly<Record<Zero, number>> & Readonly<Record<string, unknown>>;
  /** Written to standard error. */
  readonly lines?: readonly string[];
  /** Descriptions of violations. The first 20 are written to standard error. */
  readonly findings?: readonly string[];
  /** Whether the requirements are met that are not counts which must be 0. Default: true. */
  readonly passed?: boolean;
  /** The counts that must be 0 in this run. Default: each of the check's `zero`. */
  readonly judged?: readonly Zero[] | undefined;
  /** Why the check ended before it had done all its work: the outcome then covers the observations so far. */
  readonly endedEarly?: string | undefined;
}

/** What a check gets from the runner. */
export interface CheckContext<Options> {
  readonly options: Options;
  /** Aborts on Ctrl-C or SIGTERM, or after `limitMs`. */
  readonly signal: AbortSignal;
  /** Writes to standard error. */
  readonly log: Log;
}

/** What the start of a check gets from the runner, in addition. */
export interface StartContext<Options> extends CheckContext<Options> {
  /** Starts a stack that the runner closes, with the options `--keep` and `--no-build`, and the log level `warn`. */
  readonly startStack: (parts: Omit<StackOptions, "name" | "signal" | "log">) => Promise<Stack>;
  /** Adds work for the end of the run; the work that was added last is done first. */
  readonly onClose: (work: () => unknown) => void;
}

/** A check: what it is told, what it starts, what it looks at, and which counts must be 0. */
interface Check<Shape extends z.ZodRawShape, Rig, Zero extends string> {
  /** The name: `feed` for `npm run check:feed`. */
  readonly name: string;
  /** Schemas of the command-line options, by name in camel case. The option `seed` is printed in the first line. */
  readonly options: Shape;
  /** Returns what is wrong with a combination of options. Default: every combination is accepted. */
  readonly refuse?: (options: z.output<z.ZodObject<Shape>>) => string | undefined;
  /** The counts that must be 0, with their meaning for `--help`. Default: none. */
  readonly zero?: Readonly<Record<Zero, string>>;
  /** More text for `--help`, before and after the counts. */
  readonly notes?: { readonly before?: string; readonly after?: string };
  /** Time limit of the run. Default: none; the check must then end by itself when it makes no progress. */
  readonly limitMs?: (options: z.output<z.ZodObject<Shape>>) => number;
  /** Starts what is to be examined. Its signal does not abort later restarts: a verdict needs a running stack. */
  readonly start: (context: StartContext<z.output<z.ZodObject<Shape>>>) => Promise<Rig>;
  /**
   * Examines it. When the signal aborts, the check ends its work but leaves the stack running, and returns what it has
   * seen so far with `endedEarly`, or throws if it has seen nothing.
   */
  readonly examine: (rig: Rig, context: CheckContext<z.output<z.ZodObject<Shape>>>) => Promise<Outcome<NoInfer<Zero>>>;
}

/** Returns a check as it is; gives the types of its parts to each other. */
export function defineCheck<Shape extends z.ZodRawShape, Rig, Zero extends string = never>(
  check: Check<Shape, Rig, Zero>,
): Check<Shape, Rig, Zero> {
  return check;
}

/**
 * Runs a check as the main program of this process: starts the system under test, examines it, prints the outcome and
 * stops the system. Exits with 0 when the check passed, 1 when it failed, 2 when it could not be completed.
 */
export function runCheck<Shape extends z.ZodRawShape, Rig, Zero extends string>(
  check: Check<Shape, Rig, Zero>,
): Promise<never> {
  return runProgram(commandLineOf(check), async (options, stopped) => {
    const print = (line: string) => void process.stdout.write(`${line}\n`);
    if ("seed" in options) print(`seed ${options.seed}`);
    const limit = check.limitMs && AbortSignal.timeout(check.limitMs(options));
    const signal = limit === undefined ? stopped : AbortSignal.any([stopped, limit]);
    await using closing = new AsyncDisposableStack();
    const stacks: Stack[] = [];
    const rig = await startUnlessStopped(check, options, signal, closing, stacks);
    stopped.addEventListener("abort", () =>
      logToStderr("Stopping; the verdict so far follows. Press Ctrl-C again to exit now."),
    );
    const outcome = await check.examine(rig, { options, signal, log: logToStderr });
    linesOf(outcome).forEach(logToStderr);
    // For a process that does not start again, the logs are the only evidence, and they are removed with the stack.
    if (outcome.endedEarly !== undefined && !stopped.aborted)
      for (const { supervisor } of stacks) (await supervisor.recentLines()).forEach(logToStderr);
    if (outcome.counts !== undefined) print(JSON.stringify(outcome.counts));
    return exitCodeOf(check.zero, outcome);
  });
}

function commandLineOf<Shape extends z.ZodRawShape, Rig, Zero extends string>(check: Check<Shape, Rig, Zero>) {
  const { name, options: shape, refuse, zero = {}, notes = {} } = check;
  const counts = Object.entries(zero);
  const width = Math.max(...counts.map(([count]) => count.length));
  const meanings = counts.map(([count, meaning]) => `  ${count.padEnd(width)}  ${meaning}`);
  const judged = ["The last line of the output contains the counts. These must be 0:", ...meanings];
  const text = [notes.before ?? [], counts.length > 0 ? judged : [], notes.after ?? []].flat().join("\n");
  const command = commandLine(`npm run check:${name}`, z.object(shape), text);
  return {
    usage: command.usage,
    parse: (args: readonly string[]) => {
      const options = command.parse(args);
      const refusal = options && refuse?.(options);
      if (refusal !== undefined) throw new Error(`${refusal}\n${command.usage}`);
      return options;
    },
  };
}

const stackFlags = z.object({ keep: z.boolean().default(false), noBuild: z.boolean().default(true) });

/** Starts the rig. `ended` aborts the start, but not later restarts. */
async function startUnlessStopped<Shape extends z.ZodRawShape, Rig, Zero extends string>(
  { name, start }: Check<Shape, Rig, Zero>,
  options: z.output<z.ZodObject<Shape>>,
  ended: AbortSignal,
  closing: AsyncDisposableStack,
  stacks: Stack[],
): Promise<Rig> {
  const starting = new AbortController();
  const abort = () => starting.abort(ended.reason);
  if (ended.aborted) abort();
  ended.addEventListener("abort", abort);
  const [{ signal }, log] = [starting, logToStderr];
  const { keep, noBuild } = stackFlags.parse(options);
  const common = { name: `check-${name}`, logLevel: "warn", restart: true, keep, buildFast: !noBuild, signal, log };
  const onClose = (work: () => unknown) => closing.defer(async () => void (await work()));
  try {
    return await start({
      options,
      signal,
      log,
      onClose,
      startStack: async (parts) => {
        const stack = await startStack({ ...common, ...parts });
        onClose(() => stack.close());
        stacks.push(stack);
        return stack;
      },
    });
  } finally {
    ended.removeEventListener("abort", abort);
  }
}

const findingsMax = 20;

function linesOf({ lines = [], findings = [], endedEarly }: Outcome<string>): readonly string[] {
  const more = findings.length - findingsMax;
  return [
    ...lines,
    ...(endedEarly === undefined ? [] : [`ended early (${endedEarly}); the verdict covers the observations so far`]),
    ...findings.slice(0, findingsMax),
    ...(more > 0 ? [`and ${more} more`] : []),
  ];
}

/**
 * Returns the exit code of a check: 1 if it failed, even if it ended early; 2 if it ended early without a fault;
 * otherwise 0.
 */
export function exitCodeOf<Zero extends string>(
  zero: Readonly<Record<Zero, string>> | undefined,
  { counts, judged, passed = true, endedEarly }: Outcome<Zero>,
): 0 | 1 | 2 {
  const names: readonly string[] = judged ?? Object.keys(zero ?? {});
  if (!passed || names.some((name) => counts?.[name] !== 0)) return 1;
  return endedEarly === undefined ? 0 : 2;
}

/** Returns the message of a signal's reason; undefined while the signal is not aborted. */
export function abortReason({ aborted, reason }: AbortSignal): string | undefined {
  if (!aborted) return undefined;
  return reason instanceof Error ? reason.message : String(reason);
}
