import { createHash } from "node:crypto";
import { runHistory } from "./connector-history.ts";
import { runInWorld } from "./run-in-world.ts";
import type { SimulatedDatabase } from "./simulated-registry.ts";
import { runTriggerHistory } from "./trigger-history.ts";

interface Model {
  /** Runs the history with this seed. @returns what is wrong */
  readonly run: (database: SimulatedDatabase, seed: number) => Promise<string[]>;
  /** The number of histories that run at the same time on real servers, for which they wait most of the time. */
  readonly concurrency: number;
}

const models = {
  // Each history has a store of its own, so they do not affect each other.
  orders: { run: runHistory, concurrency: 6 },
  // A claim finds the triggers of all stores.
  triggers: { run: runTriggerHistory, concurrency: 1 },
} as const satisfies Readonly<Record<string, Model>>;

/** The name of a model. */
export type ModelName = keyof typeof models;

/** All models. */
export const modelNames = ["orders", "triggers"] as const satisfies readonly ModelName[];

/** The histories to run. */
export interface Histories {
  /** Each seed has a history of each of these models. */
  readonly models: readonly ModelName[];
  readonly firstSeed: number;
  /** The number of seeds. */
  readonly count: number;
  /** Returns whether to begin no further history, given the number of differences so far. Default: never */
  readonly shouldEnd?: (differenceCount: number) => boolean;
}

/** What {@link runHistories} found. */
export interface HistoriesResult {
  /** Number of complete histories. */
  readonly count: number;
  /** What is wrong, with the model and the seed of its history. */
  readonly differences: readonly string[];
  /** A digest of all that the histories read and wrote: the same for the same seeds. Empty for real servers. */
  readonly digest: string;
}

/**
 * Runs histories with consecutive seeds.
 *
 * @param database on real servers. Default: each history has simulated servers of its own, and its seed determines it
 */
export async function runHistories(
  { models: names, firstSeed, count, shouldEnd = () => false }: Histories,
  database?: SimulatedDatabase,
): Promise<HistoriesResult> {
  const seeds = Array.from({ length: count }, (_, index) => firstSeed + index).values();
  const differences: string[] = [];
  const digest = createHash("sha256");
  let completeCount = 0;
  const run = (name: ModelName, seed: number) => {
    if (database !== undefined) return models[name].run(database, seed);
    return runInWorld(
      seed,
      (simulated) => models[name].run(simulated, seed),
      (reply) => digest.update(reply),
    );
  };
  const runAll = async () => {
    for (const seed of seeds)
      for (const name of names) {
        if (shouldEnd(differences.length)) return;
        const found = await run(name, seed).catch((error: unknown) => [`failed: ${error}`]);
        differences.push(...found.map((difference) => `${name}, seed ${seed}: ${difference}`));
        completeCount += 1;
      }
  };
  const concurrency = database === undefined ? 1 : Math.min(...names.map((name) => models[name].concurrency));
  await Promise.all(Array.from({ length: concurrency }, runAll));
  return { count: completeCount, differences, digest: database === undefined ? digest.digest("hex").slice(0, 16) : "" };
}
