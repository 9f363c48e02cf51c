import { integer, seed } from "../../../deploy/local/stack/command-line.ts";
import { createExampleStore } from "../../harness/example-store.ts";
import { partOf } from "../../harness/stack/start-stack.ts";
import { sum } from "../../harness/statistics.ts";
import { abortReason, defineCheck } from "../runner/check.ts";
import { unlimited } from "../runner/workload-store.ts";
import { runSchemathesis } from "./run-schemathesis.ts";
import { findSchemathesis } from "./schemathesis-program.ts";
import { readServedRequests, type ServedRequests, watchRequests } from "./served-requests.ts";

// A run of schemathesis makes about twelve times as many cases as `examplesMax`.
const examplesShare = 1 / 12;
const examplesMin = 10;
// Cases per operation; all operations together send more requests than the limited edge admits.
const limitedExamples = 20;

const limited = { REGISTRY_RATE_LIMIT: "20", REGISTRY_RATE_LIMIT_WINDOW_MS: "60000" };

/**
 * `npm run check:api` fuzzes two edges with all checks of schemathesis: one with a rate limit so high that it has no
 * effect, and one with a low rate limit.
 */
export const apiCheck = defineCheck({
  name: "api",
  options: {
    requests: integer(1, 10_000_000, "test cases to run; each sends at least one request").default(5_000),
    seed: seed.unwrap().default(1),
  },
  zero: {
    server_errors: "responses with status 5xx",
    failures: "failed checks of schemathesis",
  },
  start: ({ startStack }) =>
    startStack({
      registries: [{ env: unlimited }, { env: limited }],
      edges: [{ registry: 0 }, { registry: 1 }],
    }),
  examine: async ({ registries, edges, supervisor }, { options: { seed, requests }, signal, log }) => {
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
    const served = await readServedRequests(unlimitedEdge.metricsUrl);
    const servedLimited = await readServedRequests(limitedEdge.metricsUrl);
    const endedEarly = abortReason(ends);
    const complete = endedEarly === undefined;
    const rateLimited = servedLimited["429"] ?? 0;
    const serverErrors = countServerErrors(served) + countServerErrors(servedLimited);
    return {
      lines: [`${cases} test cases, ${failures} failures, ${serverErrors} responses with status 5xx`],
      counts: {
        seed,
        cases,
        requests: sum(Object.values(served)),
        statuses: served,
        limited_requests: sum(Object.values(servedLimited)),
        rate_limited: rateLimited,
        server_errors: serverErrors,
        failures,
        seconds: Math.round((performance.now() - startedAt) / 1_000),
        complete,
      },
      passed: rateLimited > 0 || !complete,
      endedEarly,
    };
  },
});

function countServerErrors(served: ServedRequests): number {
  return sum(Object.entries(served).map(([status, count]) => (status.startsWith("5") ? count : 0)));
}
