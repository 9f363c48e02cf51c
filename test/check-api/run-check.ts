import { SetupError } from "../../deploy/local/servers/setup-error.ts";
import { type ApiStack, startApiStack } from "./api-stack.ts";
import { type Attack, attack } from "./attack.ts";
import { createAttackedStore } from "./attacked-store.ts";
import type { CheckOptions } from "./options.ts";
import { findSchemathesis, type SchemathesisProgram } from "./schemathesis-program.ts";
import { countAll, countServerErrors, readServedRequests } from "./served-requests.ts";

/** The exit code where schemathesis cannot be installed. */
export const notToBeHad = 3;

const limitMs = ({ requests }: CheckOptions) => 300_000 + 100 * requests;
// Of the requests of a run, about this part are made-up cases for one operation.
const examplesPart = 1 / 12;
const examplesMin = 10;
// Enough to go beyond 120 requests in a minute.
const limitedExamples = 75;

/**
 * One run of the API check. The first line on standard output is the seed, the last one a JSON object with the counts;
 * what is for people goes to standard error.
 *
 * @returns the exit code: 0 when nothing was found
 * @throws Error when the run could not be made
 */
export async function runCheck(options: CheckOptions, signal: AbortSignal): Promise<number> {
  const say = (line: string) => void process.stderr.write(`${line}\n`);
  const print = (line: string) => void process.stdout.write(`${line}\n`);
  print(`seed ${options.seed}`);
  const over = AbortSignal.any([signal, AbortSignal.timeout(limitMs(options))]);
  let program: SchemathesisProgram;
  try {
    program = await findSchemathesis({ env: process.env, log: say, signal: over });
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    say(`Not run: ${error.message}`);
    return notToBeHad;
  }
  const startedAt = performance.now();
  const stack = await startApiStack(over, say);
  try {
    const counts = await attackBoth(options, stack, program, over);
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    print(JSON.stringify({ seed: options.seed, ...counts, seconds }));
    return counts.failures + counts.server_errors === 0 && counts.rate_limited > 0 ? 0 : 1;
  } finally {
    await stack.close();
  }
}

async function attackBoth(
  { seed, requests }: CheckOptions,
  { unlimited, limited, folder }: ApiStack,
  program: SchemathesisProgram,
  signal: AbortSignal,
) {
  const apiKey = await createAttackedStore(unlimited.registryAddress);
  const common = { program, apiKey, folder, signal };
  const thorough: Omit<Attack, "seed"> = {
    ...common,
    edge: unlimited,
    examplesMax: Math.max(examplesMin, Math.ceil(requests * examplesPart)),
    phases: ["examples", "coverage", "fuzzing", "stateful"],
  };
  let cases = 0;
  let failures = 0;
  for (let round = 0; countAll(await readServedRequests(unlimited.metricsUrl)) < requests; round++) {
    const result = await attack({ ...thorough, seed: seed + round });
    cases += result.cases;
    failures += result.failures;
  }
  const beyond = await attack({
    ...common,
    edge: limited,
    seed,
    examplesMax: limitedExamples,
    phases: ["fuzzing"],
  });
  const served = await readServedRequests(unlimited.metricsUrl);
  const servedLimited = await readServedRequests(limited.metricsUrl);
  return {
    cases: cases + beyond.cases,
    requests: countAll(served),
    statuses: served,
    limited_requests: countAll(servedLimited),
    rate_limited: servedLimited["429"] ?? 0,
    server_errors: countServerErrors(served) + countServerErrors(servedLimited),
    failures: failures + beyond.failures,
  };
}
