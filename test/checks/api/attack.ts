import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import type { AttackedEdge } from "./api-stack.ts";
import type { SchemathesisProgram } from "./schemathesis-program.ts";

/** One run of schemathesis. */
export interface Attack {
  readonly program: SchemathesisProgram;
  readonly edge: AttackedEdge;
  readonly apiKey: string;
  /** Its report and other files go there. */
  readonly folder: string;
  readonly seed: number;
  /** Cases that it makes up for each operation, beside those that follow from the document. */
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

/** What it found. */
export interface AttackResult {
  readonly cases: number;
  /** Different failures, its own errors included. */
  readonly failures: number;
}

/** Runs schemathesis with all checks; what it prints for people goes to standard error. @throws Error when it did not run to its end */
export async function attack(setup: Attack): Promise<AttackResult> {
  const { program, edge, apiKey, folder, seed } = setup;
  const reportFile = path.join(folder, `report-${seed}-${setup.phases.join("-")}.json`);
  const args = [
    ...program.args,
    ...[
      "run",
      `${edge.url}/v1/openapi.json`,
      "--url",
      edge.url,
      "--header",
      `Authorization: Bearer ${apiKey}`,
    ],
    ...["--checks", "all", "--phases", setup.phases.join(","), "--max-examples", String(setup.examplesMax)],
    ...["--seed", String(seed), "--workers", "2", "--continue-on-failure", "--no-color"],
    ...["--request-timeout", "20", "--suppress-health-check", "all", "--generation-database", "none"],
    ...["--report", "json", "--report-json-path", reportFile],
  ];
  const env = { ...process.env, ...program.env, CHECK_API_URL: edge.url, CHECK_API_KEY: apiKey };
  const child = spawn(program.command, args, {
    cwd: folder,
    env,
    stdio: ["ignore", process.stderr, process.stderr],
    signal: setup.signal,
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  const found = report.parse(JSON.parse(await readFile(reportFile, "utf8")));
  const failures = found.failures.length + found.errors.length;
  if (!found.complete || (code !== 0 && failures === 0)) throw new Error(`schemathesis ended with ${code}`);
  return { cases: found.test_cases.generated, failures };
}
