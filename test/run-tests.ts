/**
 * `npm test` checks formatting, lint, types and contracts beside all tests but the long ones, and prints the counts in
 * the last line. `npm run test:all` (`--all`) also runs the long ones: checks, faults, the benchmark and test/slow.
 * `npm test -- <part>…` skips the checks and runs only the test files whose paths contain one of the parts.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { projectFolder } from "../deploy/local/stack/service-process.ts";
import { files, isHandWritten, lineCount } from "./guard/repository.ts";
import { runVitest } from "./harness/program/run-vitest.ts";

const parts = process.argv.slice(2).filter((argument) => argument !== "--all");
const isAll = process.argv.includes("--all");
const projects = parts.length > 0 || isAll ? [] : ["--project=unit", "--project=servers"];
// Tests repeat with all variants, such as screens and languages, what takes seconds (test/harness/variants.ts).
if (isAll) process.env.TEST_ALL_VARIANTS = "1";
// On a new machine, a whole run first builds the fast stand-in for MongoDB, which takes minutes: on the slow one, it
// would take many times as long.
if (parts.length === 0) process.env.TEST_BUILD_DATABASE = "1";

const checks: readonly (readonly [name: string, ...command: string[]])[] = [
  ["formatting and lint", "biome", "check", "--error-on-warnings"],
  // Checks again only what has changed since the last run.
  ["types", "tsc", "--noEmit", "--incremental", "--tsBuildInfoFile", "node_modules/.cache/types.tsbuildinfo"],
  ["contracts", "buf", "lint", "proto"],
  ["contract compatibility", "buf", "breaking", "proto", "--against", "test/fixtures/contracts-v1.binpb"],
];

/** Runs a command. @returns whether it succeeded, and its output */
async function run(command: string, ...args: readonly string[]) {
  const child = spawn(command, args, { cwd: projectFolder, stdio: ["inherit", "pipe", "pipe"] });
  const closed = once(child, "close");
  const outputs = [child.stdout, child.stderr].map((stream) => text(stream));
  const [code] = await closed;
  return { succeeded: code === 0, output: (await Promise.all(outputs)).join("") };
}

/** Runs the checks. @returns the names of the failed checks, with their output */
async function runChecks() {
  const failed: (readonly [name: string, output: string])[] = [];
  for (const [name, command = "", ...args] of checks) {
    const { succeeded, output } = await run(command, ...args);
    if (!succeeded) failed.push([name, output]);
  }
  return failed;
}

/** Names long modules, which may hold more than one concept. Length alone is no reason to split a file. */
function reportLongModules(): void {
  const long = files.filter((file) => file.endsWith(".ts") && isHandWritten(file) && lineCount(file) > 400);
  for (const file of long) process.stdout.write(`more than 400 lines: ${file} (${lineCount(file)})\n`);
}

if (parts.length === 0) reportLongModules();
// The checks use processor time that the tests leave: most of them wait.
const [failedChecks, tests] = await Promise.all([
  parts.length === 0 ? runChecks() : [],
  runVitest([...projects, ...parts]),
]);
// Each failed check counts as one failure.
const failed = tests.failed.length + failedChecks.length;
const passed = tests.passed + (parts.length === 0 ? checks.length - failedChecks.length : 0);

for (const [name, output] of failedChecks) process.stdout.write(`${output}\nfailed: ${name}\n`);
const skipped = tests.skipped > 0 ? `, ${tests.skipped} skipped` : "";
process.stdout.write(`${passed} passed, ${failed} failed${skipped}\n`);
process.exitCode = failed === 0 ? 0 : 1;
