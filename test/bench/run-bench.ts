import { inspect } from "node:util";
import { logToStderr, runProgram } from "../harness/program/run-program.ts";
import type { StackVariables } from "./bench-stack.ts";
import { BenchStacks } from "./bench-stacks.ts";
import { type BenchOptions, benchCommand, type PartName } from "./options.ts";
import { measureAdmission } from "./parts/admission.ts";
import { measureChanges } from "./parts/changes.ts";
import { measureFlat } from "./parts/flat.ts";
import { measureImport } from "./parts/import.ts";
import { measureIsolation } from "./parts/isolation.ts";
import { measureList } from "./parts/list.ts";
import { measureMemory } from "./parts/memory.ts";
import { measureOverload } from "./parts/overload.ts";
import { measurePaint } from "./parts/paint.ts";
import type { Findings, Part } from "./parts/part.ts";
import { measurePoll, secondWindow } from "./parts/poll.ts";
import { measureRelay } from "./parts/relay.ts";
import { measureStart } from "./parts/start.ts";
import { measureSync, shortWindow } from "./parts/sync.ts";
import { measureTlsFlood } from "./parts/tls-flood.ts";
import { measureTriggers } from "./parts/triggers.ts";
import { manyPages, measureVerification } from "./parts/verification.ts";
import { measureWebhooks } from "./parts/webhooks.ts";
import { jsonOf, machineOf, tableOf } from "./report.ts";
import { measuredCommit } from "./results/git.ts";
import { recordResults, renderRecordedResults } from "./results/record-results.ts";

/**
 * The parts that run on stacks of {@link BenchStacks}, with additional environment variables for the services, if any.
 * The part `overload` is missing, because it starts its own stack.
 */
const parts: Readonly<
  Record<Exclude<PartName, "overload">, { readonly measure: Part; readonly variables?: StackVariables }>
> = {
  list: { measure: measureList },
  poll: { measure: measurePoll, variables: secondWindow },
  verification: { measure: measureVerification, variables: manyPages },
  paint: { measure: measurePaint },
  sync: { measure: measureSync, variables: shortWindow },
  flat: { measure: measureFlat, variables: shortWindow },
  changes: { measure: measureChanges },
  import: { measure: measureImport },
  webhooks: { measure: measureWebhooks },
  triggers: { measure: measureTriggers },
  relay: { measure: measureRelay },
  isolation: { measure: measureIsolation },
  tls_flood: { measure: measureTlsFlood },
  admission: { measure: measureAdmission },
  memory: { measure: measureMemory },
  start: { measure: measureStart },
};

/**
 * Runs the benchmark. Writes a table for each part to standard error; with `--json`, the last line of standard output
 * is a JSON object with all figures. If a part fails, the other parts still run, and the exit code is 2. With
 * `--render`, only renders the recorded results.
 */
export const runBench = () =>
  runProgram(benchCommand, async (options, signal) => {
    if (options.render) {
      await renderRecordedResults();
      return 0;
    }
    // Called first, so that a run with uncommitted changes, whose figures cannot be recorded, fails immediately.
    const commit = options.record ? measuredCommit() : undefined;
    const { findings, database, failed } = await measureParts(options, signal);
    if (commit !== undefined) await recordResults(findings, { commit, machine: { ...machineOf(), database } }, options);
    if (options.json) process.stdout.write(`${jsonOf(options, database, findings)}\n`);
    if (failed.length > 0) logToStderr(`Not measured: ${failed.join(", ")}.`);
    return failed.length > 0 ? 2 : 0;
  });

async function measureParts(options: BenchOptions, signal: AbortSignal) {
  const findings: Partial<Record<PartName, Findings>> = {};
  const failed: PartName[] = [];
  let database = "";
  await using stacks = new BenchStacks(options, signal);
  for (const name of options.parts) {
    try {
      signal.throwIfAborted();
      const measured = await measure(name, stacks, options, signal);
      findings[name] = measured.findings;
      database = measured.database ?? database;
      tableOf(measured.findings).forEach(logToStderr);
    } catch (error) {
      failed.push(name);
      logToStderr(`\n${name} was not measured: ${inspect(error)}`);
    }
  }
  return { findings, database, failed };
}

async function measure(name: PartName, stacks: BenchStacks, options: BenchOptions, signal: AbortSignal) {
  logToStderr(`\nMeasuring ${name} …`);
  if (name === "overload") return { findings: await measureOverload(options, signal), database: undefined };
  const { measure, variables } = parts[name];
  const stack = await stacks.open(variables);
  const findings = await measure(stack, options, signal);
  await stacks.release();
  return { findings, database: stack.databaseKind };
}
