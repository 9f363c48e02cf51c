import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { z } from "zod";
import { projectFolder } from "../../../deploy/local/stack/service-process.ts";

const results = z.object({
  numPassedTests: z.number(),
  numPendingTests: z.number(),
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      assertionResults: z.array(z.object({ fullName: z.string(), status: z.string() })),
    }),
  ),
});

interface VitestRun {
  /** Default: this project. */
  readonly root?: string;
  /** File descriptor to which the report is written. Default: standard output. */
  readonly reportTo?: number;
  /** Aborting it ends the run with SIGTERM. */
  readonly signal?: AbortSignal;
  /** Called with the id of the process. */
  readonly onStart?: (pid: number) => void;
}

/**
 * Runs tests with Vitest.
 *
 * @param args options, and parts of the paths of the test files
 * @returns the numbers of passed and skipped tests, and the names of failed tests and of files that cannot be loaded
 * @throws the signal's reason when it aborts; Error when Vitest ends without results
 */
export async function runVitest(
  args: readonly string[],
  { root = projectFolder, reportTo = 1, signal, onStart }: VitestRun = {},
) {
  const folder = mkdtempSync(path.join(tmpdir(), "certificate-registry-results-"));
  const file = path.join(folder, "results.json");
  try {
    const vitest = path.join(projectFolder, "node_modules/vitest/vitest.mjs");
    const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`];
    const child = spawn(process.execPath, [vitest, "run", ...reporters, ...args], {
      cwd: root,
      stdio: ["inherit", reportTo, "inherit"],
    });
    const exited = once(child, "exit");
    signal?.addEventListener("abort", () => child.kill(), { once: true });
    if (child.pid !== undefined) onStart?.(child.pid);
    const [code] = await exited;
    signal?.throwIfAborted();
    const { numPassedTests, numPendingTests, testResults } = results.parse(JSON.parse(readFileSync(file, "utf8")));
    const failed = testResults.flatMap(({ name, status, assertionResults }) => {
      const tests = assertionResults.filter((test) => test.status === "failed");
      const file = path.relative(root, name);
      return tests.length === 0 && status === "failed" ? [file] : tests.map(({ fullName }) => `${file}: ${fullName}`);
    });
    // An error outside of tests fails the run, but no test.
    if (code !== 0 && failed.length === 0) failed.push(`Vitest ended with ${code}`);
    return { passed: numPassedTests, skipped: numPendingTests, failed };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
