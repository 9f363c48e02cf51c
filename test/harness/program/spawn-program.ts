import { execFile } from "node:child_process";
import type { z } from "zod";
import { projectFolder } from "../../../deploy/local/stack/service-process.ts";

/**
 * Runs a check or benchmark as a process, for its test.
 *
 * @param counts schema of the JSON object in its last line
 * @param signal ends the process with SIGTERM
 * @param args main file and options
 * @returns its exit code, its standard error and the JSON object in its last line
 * @throws Error with the output when it exits without that line
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
        reject(new Error(`it exited with ${code}:\n${printed}${output}`, { cause }));
      }
    });
    // Not the option of execFile: that rejects before the program has deleted its files.
    signal.addEventListener("abort", () => child.kill(), { once: true });
  });
}
