import { join } from "node:path";
import { z } from "zod";
import { projectFolder } from "../../../deploy/local/stack/service-process.ts";
import { spawnProgram } from "../../harness/program/spawn-program.ts";
import type { ModelName } from "../../simulation/run-histories.ts";

/** The real servers that all processes use. */
export interface ModelServers {
  readonly uri: string;
  readonly nats: string;
}

interface HistoriesRun {
  /** Default: simulated servers. */
  readonly servers: ModelServers | undefined;
  /** The number of seeds. */
  readonly count: number;
  readonly firstSeed: number;
  /** Default: all models. */
  readonly model: ModelName | undefined;
  /** See HistoryScript. */
  readonly focus: string | undefined;
  readonly minutes: number | undefined;
  /** Whether to end at the first difference. */
  readonly first: boolean;
  /** Whether the first wrong history is not shortened. */
  readonly whole: boolean;
  readonly signal: AbortSignal;
}

// A world leaves hardly anything that lives long: with more room, the young generation is collected less often.
const nodeOptions = ["--max-semi-space-size=64"];

const countsOfRun = z.object({
  histories: z.number(),
  seconds: z.number(),
  perSecond: z.number(),
  differences: z.number(),
  failures: z.number(),
});

/**
 * Runs histories in a process of their own.
 *
 * @param folder the project, or a copy of it. Default: this project
 */
export async function runInProcess(
  { servers, count, firstSeed, model, focus, minutes, first, whole, signal }: HistoriesRun,
  folder = projectFolder,
) {
  const args = [
    "--seeds",
    String(count),
    "--seed",
    String(firstSeed),
    "--processes",
    "1",
    ...(first ? ["--first"] : []),
    ...(whole ? ["--whole"] : []),
  ];
  if (servers !== undefined) args.push("--real", "--uri", servers.uri, "--nats", servers.nats);
  if (model !== undefined) args.push("--model", model);
  if (focus !== undefined) args.push("--focus", focus);
  if (minutes !== undefined) args.push("--minutes", String(minutes));
  return spawnProgram(countsOfRun, signal, ...nodeOptions, join(folder, "test/checks/simulation/main.ts"), ...args);
}

/** Divides the seeds among processes. */
export async function runInProcesses({ processes, ...run }: HistoriesRun & { readonly processes: number }) {
  const { count, firstSeed } = run;
  const from = Array.from({ length: processes + 1 }, (_, index) => Math.floor((count * index) / processes));
  const runs = await Promise.all(
    from.slice(0, -1).map((start, index) => {
      const part = { firstSeed: firstSeed + start, count: (from[index + 1] ?? count) - start };
      return runInProcess({ ...run, firstSeed: part.firstSeed, count: part.count });
    }),
  );
  const sum = (field: "histories" | "perSecond" | "differences" | "failures") =>
    runs.reduce((total, { counts }) => total + counts[field], 0);
  const seconds = Math.max(...runs.map(({ counts }) => counts.seconds));
  const [histories, perSecond] = [sum("histories"), sum("perSecond")];
  const [differences, failures] = [sum("differences"), sum("failures")];
  return {
    counts: { histories, firstSeed, seconds, perSecond, differences, failures, unfound: 0 },
    lines: runs.flatMap(({ output }) => (output === "" ? [] : [output.trimEnd()])),
  };
}
