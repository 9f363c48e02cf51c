import { z } from "zod";
import { createExampleStore } from "../../harness/example-store.ts";
import { commandLine, integer, seed } from "../../harness/program/command-line.ts";
import { partOf, type Stack, startStack } from "../../harness/stack/start-stack.ts";
import type { Log } from "../../harness/supervisor/supervisor.ts";
import { abortReason, type CheckReport, runCheck } from "../runner/run-check.ts";
import { reportOf } from "./report.ts";
import { runSchemathesis } from "./run-schemathesis.ts";
import { findSchemathesis } from "./schemathesis-program.ts";
import { readServedRequests } from "./served-requests.ts";
import { watchRequests } from "./watch-requests.ts";

const schema = z.object({
  requests: integer(1, 10_000_000, "test cases to run; each sends at least one request").default(5_000),
  seed: seed.unwrap().default(1),
});

// A run of schemathesis makes about twelve times as many cases as `examplesMax`.
const examplesShare = 1 / 12;
const examplesMin = 10;
// Cases per operation; all operations together send more requests than the limited edge admits.
const limitedExamples = 20;

const unlimited = { REGISTRY_RATE_LIMIT: "10000", REGISTRY_RATE_LIMIT_WINDOW_MS: "1000" };
const limited = { REGISTRY_RATE_LIMIT: "20", REGISTRY_RATE_LIMIT_WINDOW_MS: "60000" };

/**
 * Fuzzes two edges with all checks of schemathesis: one with a rate limit so high that it has no effect, and one
 * with a low rate limit.
 */
export const runApiCheck = () =>
  runCheck(commandLine("npm run check:api", schema), (options) => ({
    seed: options.seed,
    start: (signal, log) =>
      startStack({
        name: "check-api",
        restart: true,
        signal,
        log,
        registries: [{ env: unlimited }, { env: limited }],
        edges: [{ registry: 0 }, { registry: 1 }],
      }),
    examine: (stack, signal, log) => examine(options, stack, signal, log),
  }));

async function examine(
  { seed, requests }: z.output<typeof schema>,
  { registries, edges, supervisor }: Stack,
  signal: AbortSignal,
  log: Log,
): Promise<CheckReport> {
  const unlimitedEdge = partOf(edges, 0);
  const limitedEdge = partOf(edges, 1);
  const program = await findSchemathesis({ env: process.env, log, signal });
  const startedAt = performance.now();
  const apiKey = await createExampleStore(partOf(registries).connect);
  using stall = await watchRequests(edges);
  const ends = AbortSignal.any([signal, stall.signal]);
  const common = { program, apiKey, folder: supervisor.folder, signal: ends };
  const examplesMax = Math.max(examplesMin, Math.ceil(requests * examplesShare));
  const phases = ["examples", "coverage", "fuzzing", "stateful"] as const;
  let cases = 0;
  let failures = 0;
  try {
    for (let round = 0; cases < requests; round++) {
      const run = { ...common, edgeUrl: unlimitedEdge.url, seed: seed + round, examplesMax, phases };
      const found = await runSchemathesis(run);
      cases += found.cases;
      failures += found.failures;
    }
    const beyondLimit = { ...common, edgeUrl: limitedEdge.url, seed, examplesMax: limitedExamples };
    failures += (await runSchemathesis({ ...beyondLimit, phases: ["fuzzing"] })).failures;
  } catch (error) {
    // Ending early is not an error: the completed runs and the response statuses still allow a verdict.
    if (!ends.aborted) throw error;
  }
  return reportOf({
    seed,
    cases,
    failures,
    endedEarly: abortReason(ends),
    served: await readServedRequests(unlimitedEdge.metricsUrl),
    servedLimited: await readServedRequests(limitedEdge.metricsUrl),
    durationMs: performance.now() - startedAt,
  });
}
