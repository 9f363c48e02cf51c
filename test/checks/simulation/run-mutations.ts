import { cp, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { projectFolder } from "../../../deploy/local/stack/service-process.ts";
import { createTemporaryFolder } from "../../harness/files/temporary-folder.ts";
import type { Log } from "../../harness/supervisor/supervisor.ts";
import { type Mutation, mutations } from "../../simulation/mutations.ts";
import { type ModelName, modelNames, realModelNames } from "../../simulation/run-histories.ts";
import { type ModelServers, runInProcess } from "./run-in-processes.ts";

const copied = ["services", "proto", "test", "deploy", "package.json"];

interface MutationRun {
  /** Default: simulated servers. */
  readonly servers: ModelServers | undefined;
  /** Seeds of each mutation, at most. */
  readonly count: number;
  readonly firstSeed: number;
  /** Runs only the mutations for this model. Default: all. */
  readonly model: ModelName | undefined;
  /** Part of the names of the mutations to run. */
  readonly only: string;
  /** Whether to shorten the history that finds a mutation. */
  readonly shorten: boolean;
  /** Number of mutations that run at the same time, each in a copy of the project. */
  readonly processes: number;
  /** Ends the run: what it has found by then is its result. */
  readonly signal: AbortSignal;
  readonly log: Log;
}

/**
 * Runs the models in copies of the project that contain one mutation each, until its first difference. A history does
 * not find the mutation if it merely fails or, in a simulated world, if it is wrong without the mutation, too.
 */
export async function runMutations({ model, only, processes, ...run }: MutationRun) {
  const models = run.servers === undefined ? modelNames : realModelNames;
  const chosen = mutations.filter(
    ({ name, model: own = "orders" }) =>
      name.includes(only) && (model ?? own) === own && models.some((one) => one === own),
  );
  const queue = chosen.values();
  const isWrongAnyway = unmutatedHistories();
  const results: NonNullable<Awaited<ReturnType<typeof runMutation>>>[] = [];
  const runQueue = async () => {
    await using folder = await createTemporaryFolder("mutations");
    for (const name of copied) await cp(join(projectFolder, name), join(folder.path, name), { recursive: true });
    await symlink(join(projectFolder, "node_modules"), join(folder.path, "node_modules"));
    for (const mutation of queue) {
      if (run.signal.aborted) return;
      const result = await runMutation(folder.path, mutation, { ...run, isWrongAnyway }).catch((error: unknown) => {
        // A process that is told twice to end, as by Ctrl-C in a terminal, ends without a result.
        if (!run.signal.aborted) throw error;
      });
      if (result !== undefined) results.push(result);
    }
  };
  await Promise.all(Array.from({ length: Math.min(processes, chosen.length) }, runQueue));
  const findings = results.flatMap(({ finding }) => finding ?? []);
  const sum = (field: "differences" | "failures") => results.reduce((total, one) => total + one[field], 0);
  const [differences, failures] = [sum("differences"), sum("failures")];
  return { counts: { mutations: results.length, differences, failures, unfound: findings.length }, findings };
}

/** Returns a function that runs the history of a seed without a mutation. @returns whether it is wrong */
function unmutatedHistories() {
  const known = new Map<string, Promise<boolean>>();
  return (seed: number, run: Omit<Parameters<typeof runInProcess>[0], "firstSeed" | "count">): Promise<boolean> => {
    const key = `${run.model} ${run.focus} ${seed}`;
    const isWrong =
      known.get(key) ??
      runInProcess({ ...run, firstSeed: seed, count: 1, whole: true }).then(
        // One that was ended before its history says nothing.
        ({ counts }) => counts.differences > 0 || counts.histories === 0,
      );
    known.set(key, isWrong);
    return isWrong;
  };
}

async function runMutation(
  folder: string,
  mutation: Mutation,
  {
    servers,
    count,
    firstSeed,
    shorten,
    signal,
    log,
    isWrongAnyway,
  }: Omit<MutationRun, "model" | "only" | "processes"> & {
    readonly isWrongAnyway: ReturnType<typeof unmutatedHistories>;
  },
) {
  const { name, model = "orders", focus } = mutation;
  const histories = { servers, model, focus, minutes: undefined, first: true, whole: !shorten, signal };
  let [completeCount, failures, seconds, differences, output] = [0, 0, 0, 0, ""];
  const restore = await mutate(folder, mutation);
  do {
    const left = { firstSeed: firstSeed + completeCount, count: count - completeCount };
    const mutated = await runInProcess({ ...histories, ...left }, folder);
    ({ output } = mutated);
    ({ differences } = mutated.counts);
    completeCount += mutated.counts.histories;
    failures += mutated.counts.failures;
    seconds += mutated.counts.seconds;
    if (differences === 0 || servers !== undefined) break;
    // In simulated worlds, histories run one after the other, so the last one is wrong.
    const seed = firstSeed + completeCount - 1;
    if (!(await isWrongAnyway(seed, histories))) break;
    differences = 0;
  } while (completeCount < count);
  await restore();
  if (signal.aborted && differences === 0) return undefined;
  const [first = ""] = output.split("\n");
  const finding = shorten ? output.trimEnd() : first;
  const after = `after ${completeCount} histories, ${failures} of which failed (${seconds} s)`;
  const isFound = differences > 0;
  log(isFound ? `found ${after}: ${name}: ${finding}` : `NOT FOUND ${after}: ${name}: ${finding}`);
  return { differences, failures, finding: isFound ? undefined : `not found ${after}: ${name}` };
}

/** Applies a mutation to a copy of the project. @returns a function that takes it back */
async function mutate(folder: string, { name, changes }: Mutation): Promise<() => Promise<void>> {
  const originals = new Map<string, string>();
  for (const { file, from, to } of changes) {
    const path = join(folder, file);
    const before = await readFile(path, "utf8");
    if (!originals.has(path)) originals.set(path, before);
    if (before.split(from).length !== 2) throw new Error(`${name}: ${file} does not contain exactly once: ${from}`);
    await writeFile(
      path,
      before.replace(from, () => to),
    );
  }
  return async () => {
    for (const [path, before] of originals) await writeFile(path, before);
  };
}
