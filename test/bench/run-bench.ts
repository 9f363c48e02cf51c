import { writeFile } from "node:fs/promises";
import { logToStderr, runProgram } from "../harness/program/run-program.ts";
import { startBenchStack } from "./bench-stack.ts";
import { benchCommand, type PartName } from "./options.ts";
import { measureAdmission } from "./parts/admission.ts";
import { measureChanges } from "./parts/changes.ts";
import { measureImport } from "./parts/import.ts";
import { measureIsolation } from "./parts/isolation.ts";
import { measureList } from "./parts/list.ts";
import type { Part } from "./parts/part.ts";
import { measureTlsFlood } from "./parts/tls-flood.ts";
import { measureWebhooks } from "./parts/webhooks.ts";
import { type Findings, jsonOf, machineOf, tableOf } from "./report.ts";
import { recordResults, renderRecordedResults } from "./results/record-results.ts";

const parts: Readonly<Record<PartName, Part>> = {
  list: measureList,
  changes: measureChanges,
  import: measureImport,
  webhooks: measureWebhooks,
  isolation: measureIsolation,
  tls_flood: measureTlsFlood,
  admission: measureAdmission,
};

/**
 * Runs the benchmark. Tables for people are written to standard error, part by part; the last line of standard output
 * is a JSON object with all figures.
 */
export const runBench = () =>
  runProgram(benchCommand, async (options, signal) => {
    if (options.render) {
      await renderRecordedResults();
      return 0;
    }
    const findings: Partial<Record<PartName, Findings>> = {};
    let database = "";
    for (const name of options.parts) {
      // Each part has its own stack, so that no part is affected by another part's data.
      const stack = await startBenchStack(options, signal, logToStderr);
      try {
        database = stack.databaseKind;
        findings[name] = await parts[name](stack, options, signal);
      } finally {
        await stack.close();
      }
      tableOf(findings[name]).forEach(logToStderr);
    }
    const json = jsonOf(options, database, findings);
    if (options.json !== undefined) await writeFile(options.json, `${json}\n`);
    if (options.record) await recordResults(findings, { ...machineOf(), database }, options);
    process.stdout.write(`${json}\n`);
    return 0;
  });
