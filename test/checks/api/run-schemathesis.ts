import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import type { SchemathesisProgram } from "./schemathesis-program.ts";

interface SchemathesisRun {
  readonly program: SchemathesisProgram;
  readonly edgeUrl: string;
  readonly apiKey: string;
  /** Working directory of schemathesis; also receives its report. */
  readonly folder: string;
  readonly seed: number;
  /** Maximum number of generated cases per operation, in addition to the cases derived from the API description. */
  readonly examplesMax: number;
  readonly phases: readonly ("examples" | "coverage" | "fuzzing" | "stateful")[];
  readonly signal: AbortSignal;
}

const report = z.object({
  complete: z.boolean(),
  test_cases: z.object({ generated: z.int(), with_failures: z.int(), errored: z.int() }),
  failures: z.array(z.unknown()),
  errors: z.array(z.unknown()),
});

/**
 * Runs schemathesis with all checks; its output goes to standard error.
 *
 * @returns the number of cases, and the number of distinct failures, including errors of schemathesis itself
 * @throws Error when schemathesis did not complete
 */
export async function runSchemathesis(run: SchemathesisRun) {
  const { program, edgeUrl, apiKey, folder, seed, signal } = run;
  const phases = run.phases.join(",");
  const reportFile = path.join(folder, `report-${seed}-${phases}.json`);
  const args = [
    ...program.args,
    ...["run", `${edgeUrl}/v1/openapi.json`, "--url", edgeUrl],
    ...["--header", `Authorization: Bearer ${apiKey}`],
    ...["--checks", "all", "--phases", phases, "--max-examples", String(run.examplesMax)],
    ...["--seed", String(seed), "--workers", "2", "--continue-on-failure", "--no-color"],
    ...["--request-timeout", "20", "--suppress-health-check", "all", "--generation-database", "none"],
    ...["--report", "json", "--report-json-path", reportFile],
  ];
  const child = spawn(program.command, args, {
    cwd: folder,
    env: { ...process.env, ...program.env, CHECK_API_URL: edgeUrl, CHECK_API_KEY: apiKey },
    stdio: ["ignore", process.stderr, process.stderr],
    signal,
  });
  // Rejects when the child process cannot be started or the signal aborts.
  const [code] = await once(child, "close");
  const found = report.parse(JSON.parse(await readFile(reportFile, "utf8")));
  const failures = found.failures.length + found.errors.length;
  if (!found.complete || (code !== 0 && failures === 0)) throw new Error(`schemathesis exited with ${code}`);
  return { cases: found.test_cases.generated, failures };
}
