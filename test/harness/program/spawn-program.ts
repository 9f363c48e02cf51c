import { execFile } from "node:child_process";
import type { z } from "zod";
import { projectFolder } from "../../../deploy/local/stack/service-process.ts";

/**
 * Runs a check or benchmark as a separate process.
 *
 * @param counts schema of the JSON object in the last line of its standard output
 * @param signal ends the process with SIGTERM
 * @param args main file and options
 * @returns its exit code, its standard error and the JSON object
 * @throws Error with the output when the last line is not such an object
 */
export function spawnProgram<Counts>(
  counts: z.ZodType<Counts>,
  signal: AbortSignal,
  ...args: string[]
): Promise<{ readonly code: number; readonly output: string; readonly counts: Counts }> {
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
  });
}
