/**
 * `npm test` checks formatting, lint, types and contracts beside all tests but the long ones, and prints the counts in
 * the last line. `npm run test:all` (`--all`) also runs the long ones: checks, faults, the benchmark and test/slow.
 * `npm test -- <part>…` skips the checks and runs only the test files whose paths contain one of the parts.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { files, isHandWritten, lineCount } from "./guard/repository.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const parts = process.argv.slice(2).filter((argument) => argument !== "--all");
const isAll = process.argv.includes("--all");
const projects = parts.length > 0 || isAll ? [] : ["--project=unit", "--project=servers"];
// Tests repeat with all variants, such as screens and languages, what takes seconds (test/harness/variants.ts).
if (isAll) process.env.TEST_ALL_VARIANTS = "1";

const checks: readonly (readonly [name: string, ...command: string[]])[] = [
  ["formatting and lint", "biome", "check", "--error-on-warnings"],
  // Checks again only what has changed since the last run.
  ["types", "tsc", "--noEmit", "--incremental", "--tsBuildInfoFile", "node_modules/.cache/types.tsbuildinfo"],
  ["contracts", "buf", "lint", "proto"],
  ["contract compatibility", "buf", "breaking", "proto", "--against", "test/fixtures/contracts-v1.binpb"],
];

const results = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  numPendingTests: z.number(),
  numFailedTestSuites: z.number(),
});

/** Runs a command. @returns whether it succeeded, and its output unless this process prints it */
async function run(stdio: "inherit" | "pipe", command: string, ...args: readonly string[]) {
  const child = spawn(command, args, { cwd: root, stdio: ["inherit", stdio, stdio] });
  const closed = once(child, "close");
  const outputs = [child.stdout, child.stderr].map((stream) => (stream === null ? "" : text(stream)));
  const [code] = await closed;
  return { succeeded: code === 0, output: (await Promise.all(outputs)).join("") };
}

/** Runs the checks. @returns the names of the failed checks, with their output */
async function runChecks() {
  const failed: (readonly [name: string, output: string])[] = [];
  for (const [name, command = "", ...args] of checks) {
    const { succeeded, output } = await run("pipe", command, ...args);
    if (!succeeded) failed.push([name, output]);
  }
  return failed;
}

/** Names long modules, which may hold more than one concept. Length alone is no reason to split a file. */
function reportLongModules(): void {
  const long = files.filter((file) => file.endsWith(".ts") && isHandWritten(file) && lineCount(file) > 400);
  for (const file of long) process.stdout.write(`more than 400 lines: ${file} (${lineCount(file)})\n`);
}

async function runVitest() {
  const folder = mkdtempSync(path.join(tmpdir(), "certificate-registry-results-"));
  const file = path.join(folder, "results.json");
  try {
    const { succeeded } = await run(
      "inherit",
      "vitest",
      "run",
      "--reporter=default",
      "--reporter=json",
      `--outputFile.json=${file}`,
      ...projects,
      ...parts,
    );
    return { succeeded, counts: results.parse(JSON.parse(readFileSync(file, "utf8"))) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (parts.length === 0) reportLongModules();
// The checks use processor time that the tests leave: most of them wait.
const [failedChecks, { succeeded, counts }] = await Promise.all([parts.length === 0 ? runChecks() : [], runVitest()]);
// A test file that cannot be loaded reports no failed test. If no test failed, each such file counts as one failure.
// Each failed check also counts as one failure.
const brokenFiles = !succeeded && counts.numFailedTests === 0 ? Math.max(1, counts.numFailedTestSuites) : 0;
const failed = counts.numFailedTests + brokenFiles + failedChecks.length;
const passed = counts.numPassedTests + (parts.length === 0 ? checks.length - failedChecks.length : 0);

for (const [name, output] of failedChecks) process.stdout.write(`${output}\nfailed: ${name}\n`);
const skipped = counts.numPendingTests > 0 ? `, ${counts.numPendingTests} skipped` : "";
process.stdout.write(`${passed} passed, ${failed} failed${skipped}\n`);
process.exitCode = failed === 0 && succeeded ? 0 : 1;
