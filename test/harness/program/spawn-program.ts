import { execFile } from "node:child_process";
import type { z } from "zod";
import { projectFolder } from "../../../deploy/local/stack/service-process.ts";

interface ProgramResult<Counts> {
  readonly code: number;
  /** Standard error. */
  readonly output: string;
  /** The JSON object in the last line of standard output. */
  readonly counts: Counts;
}

/**
 * Runs a check or benchmark as a separate process.
 *
 * @param counts schema of the JSON object in the last line of its standard output
 * @param signal aborting it ends the process with SIGTERM
 * @param args main file and options
 * @throws Error with the output when the last line does not match the schema
 */
export function spawnProgram<Counts>(
  counts: z.ZodType<Counts>,
  signal: AbortSignal,
  ...args: string[]
): Promise<ProgramResult<Counts>> {
  return spawnUntil(counts, signal, undefined, args);
}

/** Runs a program like {@link spawnProgram}, and ends it with SIGTERM once its standard error matches a pattern. */
export function spawnUntil<Counts>(
  counts: z.ZodType<Counts>,
  signal: AbortSignal,
  pattern: RegExp | undefined,
  args: readonly string[],
): Promise<ProgramResult<Counts>> {
  return new Promise((resolve, reject) => {
    const options = { cwd: projectFolder, maxBuffer: Number.POSITIVE_INFINITY };
    const child = execFile(process.execPath, args, options, (failure, printed, output) => {
      const code = failure === null ? 0 : Number(failure.code ?? -1);
      try {
        const last = printed.trimEnd().split("\n").at(-1) ?? "";
        resolve({ code, output, counts: counts.parse(JSON.parse(last)) });
      } catch (cause) {
        reject(
          new Error(`The program exited with ${code} and printed no valid counts:\n${printed}${output}`, { cause }),
        );
      }
    });
    // Not execFile's `signal` option, which would reject before the program has deleted its files.
    signal.addEventListener("abort", () => child.kill(), { once: true });
    let written = "";
    child.stderr?.on("data", (text: string) => {
      if (pattern === undefined || child.killed) return;
      written += text;
      if (pattern.test(written)) child.kill();
    });
  });
}
