import { readFile, writeFile } from "node:fs/promises";
import type { BenchOptions } from "../options.ts";
import type { Findings } from "../parts/part.ts";
import { figuresOf } from "./figures.ts";
import { hasCodeChanged } from "./git.ts";
import { renderResults } from "./render-results.ts";
import { type RecordedRun, resultsSchema } from "./results-file.ts";

const jsonFile = new URL("../results.json", import.meta.url);
const markdownFile = new URL("../RESULTS.md", import.meta.url);

/**
 * Records the runs of the measured parts, in place of their previous runs, and renders RESULTS.md.
 *
 * @param commit abbreviated hash of the measured commit
 */
export async function recordResults(
  findings: Readonly<Record<string, Findings>>,
  { commit, machine }: Pick<RecordedRun, "commit" | "machine">,
  { rounds, seconds, stores }: Pick<BenchOptions, "rounds" | "seconds" | "stores">,
): Promise<void> {
  const notes = [`${rounds} rounds of ${seconds} s; changes over ${stores} stores.`];
  const common = { date: new Date().toISOString().slice(0, 10), commit, machine, notes };
  const measured = new Map(
    Object.entries(findings).map(([part, found]) => [part, { part, ...common, figures: figuresOf(part, found) }]),
  );
  const recorded = await readRuns();
  const kept = recorded.map((run) => measured.get(run.part) ?? run);
  const added = [...measured.values()].filter(({ part }) => !recorded.some((run) => run.part === part));
  await writeFile(jsonFile, `${JSON.stringify({ runs: [...kept, ...added] }, null, 2)}\n`);
  await renderRecordedResults();
}

/** Renders RESULTS.md from results.json. */
export async function renderRecordedResults(): Promise<void> {
  await writeFile(markdownFile, renderResults(await readRuns(), hasCodeChanged));
}

async function readRuns(): Promise<RecordedRun[]> {
  return resultsSchema.parse(JSON.parse(await readFile(jsonFile, "utf8"))).runs;
}
