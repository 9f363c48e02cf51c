import { readdir } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { actionlint, findGoProgram } from "../chart/tools/go-program.ts";

const print = (line: string) => void process.stdout.write(`${line}\n`);
const workflows = fileURLToPath(new URL("../../../.github/workflows", import.meta.url));

/** Checks the syntax and expressions of the workflow files. @returns the exit code: 0 if there is no problem, or 1 */
export async function runWorkflowCheck(signal = AbortSignal.timeout(15 * 60_000)): Promise<number> {
  const program = await findGoProgram(actionlint, { env: process.env, log: print, signal });
  const names = (await readdir(workflows)).sort();
  let problems = 0;
  for (const name of names) {
    const options = { reject: false, all: true, cancelSignal: signal } as const;
    const { failed, all } = await execa(program, ["-no-color", path.join(workflows, name)], options);
    print(failed ? `FAILED  ${name}\n${all}` : `ok      ${name}`);
    if (failed) problems += 1;
  }
  print(JSON.stringify({ problems }));
  return problems === 0 ? 0 : 1;
}
