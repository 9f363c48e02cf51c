import type { Say } from "../checks/runner/conduct.ts";
import { startBenchStack } from "./bench-stack.ts";
import type { BenchOptions, PartName } from "./options.ts";
import { measureAdmission } from "./parts/admission.ts";
import { measureChanges } from "./parts/changes.ts";
import { measureImport } from "./parts/import.ts";
import { measureIsolation } from "./parts/isolation.ts";
import type { Part } from "./parts/part.ts";
import { measureWebhooks } from "./parts/webhooks.ts";
import { type Findings, jsonOf, tableOf } from "./report.ts";

const parts: Readonly<Record<PartName, Part>> = {
  changes: measureChanges,
  import: measureImport,
  webhooks: measureWebhooks,
  isolation: measureIsolation,
  admission: measureAdmission,
};

/**
 * One run of the benchmark. What is for people goes to standard error, part by part; the last line on standard output is
 * a JSON object with all the numbers.
 *
 * @returns the exit code
 * @throws Error when something could not be measured
 */
export async function runBench(options: BenchOptions, signal: AbortSignal): Promise<number> {
  const say: Say = (line) => void process.stderr.write(`${line}\n`);
  const findings: Partial<Record<PartName, Findings>> = {};
  let databaseKind = "";
  for (const name of options.parts) {
    // Servers and services of its own: no part finds what another one has left behind.
    const stack = await startBenchStack(options, signal, say);
    try {
      databaseKind = stack.databaseKind;
      findings[name] = await parts[name](stack, options, signal);
    } finally {
      await stack.close();
    }
    for (const line of tableOf(findings[name])) say(line);
  }
  process.stdout.write(`${jsonOf(options, databaseKind, findings)}\n`);
  return 0;
}
