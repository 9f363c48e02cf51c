/** `npm run check:workflows` checks the workflow files in .github/workflows with actionlint. */
import { readdir } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { actionlint, findGoProgram } from "../chart/tools/go-program.ts";
import { ProblemReport } from "../runner/problem-report.ts";

const report = new ProblemReport();
const workflows = fileURLToPath(new URL("../../../.github/workflows", import.meta.url));
const signal = AbortSignal.timeout(15 * 60_000);
const program = await findGoProgram(actionlint, { env: process.env, log: report.print, signal });
for (const name of (await readdir(workflows)).sort()) {
  const options = { reject: false, all: true, cancelSignal: signal } as const;
  const { failed, all } = await execa(program, ["-no-color", path.join(workflows, name)], options);
  report.add(name, failed ? [all] : []);
}
process.exitCode = report.end();
