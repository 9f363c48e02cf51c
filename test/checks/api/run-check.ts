import { conduct, type ReportLines, type Say } from "../runner/conduct.ts";
import { type ApiStack, startApiStack } from "./api-stack.ts";
import { attack } from "./attack.ts";
import { createAttackedStore } from "./attacked-store.ts";
import type { CheckOptions } from "./options.ts";
import { findSchemathesis } from "./schemathesis-program.ts";
import { countAll, countServerErrors, readServedRequests } from "./served-requests.ts";

const limitMs = ({ requests }: CheckOptions) => 300_000 + 200 * requests;
// A case made up for an operation is about a twelfth of what a whole run makes of it.
const examplesPart = 1 / 12;
const examplesMin = 10;
// More than the limited edge admits.
const limitedExamples = 20;

/**
 * One run of the API check: schemathesis, with all checks, against an edge that admits everything and one whose limit is
 * soon reached. Good when nothing was found, no reply was a 5xx, and the limit was reached.
 *
 * @returns the exit code
 * @throws Error when the run could not be made
 */
export function runCheck(options: CheckOptions, signal: AbortSignal): Promise<number> {
  return conduct(
    {
      seed: options.seed,
      limitMs: limitMs(options),
      start: startApiStack,
      examine: (stack, over, say) => examine(options, stack, over, say),
    },
    signal,
  );
}

async function examine(
  { seed, requests }: CheckOptions,
  { unlimited, limited, folder }: ApiStack,
  signal: AbortSignal,
  say: Say,
): Promise<ReportLines> {
  const program = await findSchemathesis({ env: process.env, log: say, signal });
  const startedAt = performance.now();
  const apiKey = await createAttackedStore(unlimited.registryAddress);
  const common = { program, apiKey, folder, signal };
  const examplesMax = Math.max(examplesMin, Math.ceil(requests * examplesPart));
  const phases = ["examples", "coverage", "fuzzing", "stateful"] as const;
  let cases = 0;
  let failures = 0;
  for (let round = 0; cases < requests; round++) {
    const found = await attack({ ...common, edge: unlimited, seed: seed + round, examplesMax, phases });
    cases += found.cases;
    failures += found.failures;
  }
  const beyond = { ...common, edge: limited, seed, examplesMax: limitedExamples };
  failures += (await attack({ ...beyond, phases: ["fuzzing"] })).failures;
  const served = await readServedRequests(unlimited.metricsUrl);
  const servedLimited = await readServedRequests(limited.metricsUrl);
  const rateLimited = servedLimited["429"] ?? 0;
  const serverErrors = countServerErrors(served) + countServerErrors(servedLimited);
  const counts = {
    seed,
    cases,
    requests: countAll(served),
    statuses: served,
    limited_requests: countAll(servedLimited),
    rate_limited: rateLimited,
    server_errors: serverErrors,
    failures,
    seconds: Math.round((performance.now() - startedAt) / 1_000),
  };
  return {
    lines: [`${cases} test cases, ${failures} failures, ${serverErrors} replies of 5xx`],
    json: JSON.stringify(counts),
    isGood: failures + serverErrors === 0 && rateLimited > 0,
  };
}
