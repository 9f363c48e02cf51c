/**
 * `npm test` checks formatting, lint, types and contracts, runs all tests but the long ones, and prints the counts in
 * the last line. `npm run test:all` (`--all`) also runs the long ones: checks, faults, the benchmark and test/slow.
 * `npm test -- <part>…` skips the checks and runs only the test files whose paths contain one of the parts.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { files, isHandWritten, lineCount } from "./guard/repository.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const parts = process.argv.slice(2).filter((argument) => argument !== "--all");
const isAll = process.argv.includes("--all");
const projects = parts.length > 0 || isAll ? [] : ["--project=unit", "--project=servers"];
// Each browser test opens its page on every screen and in every language (test/browser/variants.ts).
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

function run(command: string, ...args: string[]): boolean {
  return spawnSync(command, args, { cwd: root, stdio: "inherit" }).status === 0;
}

/** Runs the checks. @returns the names of the failed checks */
function runChecks(): string[] {
  return checks.flatMap(([name, command = "", ...args]) => {
    process.stdout.write(`${name} …\n`);
    return run(command, ...args) ? [] : [name];
  });
}

/** Names long modules, which may hold more than one concept. Length alone is no reason to split a file. */
function reportLongModules(): void {
  const long = files.filter((file) => file.endsWith(".ts") && isHandWritten(file) && lineCount(file) > 400);
  for (const file of long) process.stdout.write(`more than 400 lines: ${file} (${lineCount(file)})\n`);
}

function runVitest() {
  const folder = mkdtempSync(path.join(tmpdir(), "certificate-registry-results-"));
  const file = path.join(folder, "results.json");
  try {
    const succeeded = run(
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

const failedChecks = parts.length === 0 ? runChecks() : [];
if (parts.length === 0) reportLongModules();
const { succeeded, counts } = runVitest();
// A test file that cannot be loaded reports no failed test. If no test failed, each such file counts as one failure.
// Each failed check also counts as one failure.
const brokenFiles = !succeeded && counts.numFailedTests === 0 ? Math.max(1, counts.numFailedTestSuites) : 0;
const failed = counts.numFailedTests + brokenFiles + failedChecks.length;
const passed = counts.numPassedTests + (parts.length === 0 ? checks.length - failedChecks.length : 0);

for (const name of failedChecks) process.stdout.write(`failed: ${name}\n`);
const skipped = counts.numPendingTests > 0 ? `, ${counts.numPendingTests} skipped` : "";
process.stdout.write(`${passed} passed, ${failed} failed${skipped}\n`);
process.exitCode = failed === 0 && succeeded ? 0 : 1;
