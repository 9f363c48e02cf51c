import { join } from "node:path";
import { z } from "zod";
import { projectFolder } from "../../../deploy/local/stack/service-process.ts";
import { spawnProgram } from "../../harness/program/spawn-program.ts";

/** The servers that all processes use. */
export interface ModelServers {
  readonly uri: string;
  readonly nats: string;
}

interface HistoriesRun {
  readonly servers: ModelServers;
  readonly count: number;
  readonly firstSeed: number;
  /** Whether to run the model of triggers. */
  readonly triggers: boolean;
  /** Whether to end at the first difference. */
  readonly first: boolean;
  readonly signal: AbortSignal;
}

const countsOfRun = z.object({ histories: z.number(), seconds: z.number(), differences: z.number() });

/**
 * Runs histories in a process of their own.
 *
 * @param folder the project, or a copy of it. Default: this project
 */
export async function runInProcess(
  { servers, count, firstSeed, triggers, first, signal }: HistoriesRun,
  folder = projectFolder,
) {
  const args = ["--uri", servers.uri, "--nats", servers.nats, "--histories", String(count), "--processes", "1"];
  args.push("--seed", String(firstSeed), ...(triggers ? ["--triggers"] : []), ...(first ? ["--first"] : []));
  return spawnProgram(countsOfRun, signal, join(folder, "test/checks/connector/main.ts"), ...args);
}

/** Divides the histories among processes. */
export async function runInProcesses({ processes, ...run }: HistoriesRun & { readonly processes: number }) {
  const { count, firstSeed } = run;
  const from = Array.from({ length: processes + 1 }, (_, index) => Math.floor((count * index) / processes));
  const runs = await Promise.all(
    from.slice(0, -1).map((start, index) => {
      const part = { firstSeed: firstSeed + start, count: (from[index + 1] ?? count) - start };
      return runInProcess({ ...run, firstSeed: part.firstSeed, count: part.count });
    }),
  );
  const sum = (field: "histories" | "differences") => runs.reduce((total, { counts }) => total + counts[field], 0);
  const seconds = Math.max(...runs.map(({ counts }) => counts.seconds));
  const [histories, differences] = [sum("histories"), sum("differences")];
  return {
    counts: { histories, firstSeed, seconds, differences, unfound: 0 },
    lines: runs.flatMap(({ output }) => (output === "" ? [] : [output.trimEnd()])),
  };
}
