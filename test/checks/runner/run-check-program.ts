import { spawn } from "node:child_process";
import type { z } from "zod";
import { projectFolder } from "../../../deploy/local/stack/service-process.ts";

/** How a check's program ended. */
export interface ProgramRun<Counts> {
  readonly code: number | null;
  /** What it printed for people; told when the test fails. */
  readonly words: string;
  readonly counts: Counts;
}

/**
 * Runs a check as a command, for its test.
 *
 * @param counts the form of the JSON object that is its last line
 * @param signal ends it early
 * @param args its main file, and its options
 * @throws Error with what it printed when it ends without counts
 */
export function runCheckProgram<Counts>(
  counts: z.ZodType<Counts>,
  signal: AbortSignal,
  ...args: string[]
): Promise<ProgramRun<Counts>> {
  const child = spawn(process.execPath, args, { cwd: projectFolder });
  // SIGTERM: it stops what it started and removes its files.
  signal.addEventListener("abort", () => child.kill(), { once: true });
  let printed = "";
  let words = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    printed += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    words += text;
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      try {
        const last = printed.trimEnd().split("\n").at(-1) ?? "";
        resolve({ code, words, counts: counts.parse(JSON.parse(last)) });
      } catch (cause) {
        reject(new Error(`it ended with ${code}:\n${printed}${words}`, { cause }));
      }
    });
  });
}
