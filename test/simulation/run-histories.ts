import { runHistory } from "./connector-history.ts";
import type { SimulatedDatabase } from "./simulated-registry.ts";
import { runTriggerHistory } from "./trigger-history.ts";

interface Model {
  /** Runs the history with this seed. @returns what is wrong */
  readonly run: (database: SimulatedDatabase, seed: number) => Promise<string[]>;
  /** The number of histories that run at the same time, as they wait for the database most of the time. */
  readonly concurrency: number;
}

/** The models. */
export const models = {
  // Each history has a store of its own, so they do not affect each other.
  orders: { run: runHistory, concurrency: 6 },
  // A claim finds the triggers of all stores.
  triggers: { run: runTriggerHistory, concurrency: 1 },
} as const satisfies Readonly<Record<string, Model>>;

/** The name of a model. */
export type ModelName = keyof typeof models;

/** The histories to run. */
export interface Histories {
  readonly model: ModelName;
  readonly firstSeed: number;
  readonly count: number;
  /** Returns whether to begin no further history, given the number of differences so far. Default: never */
  readonly shouldEnd?: (differenceCount: number) => boolean;
}

/** What {@link runHistories} found. */
export interface HistoriesResult {
  /** Number of complete histories. */
  readonly count: number;
  /** What is wrong, with the seed of its history. */
  readonly differences: readonly string[];
}

/** Runs histories with consecutive seeds. */
export async function runHistories(
  database: SimulatedDatabase,
  { model, firstSeed, count, shouldEnd = () => false }: Histories,
): Promise<HistoriesResult> {
  const { run, concurrency } = models[model];
  const seeds = Array.from({ length: count }, (_, index) => firstSeed + index).values();
  const differences: string[] = [];
  let completeCount = 0;
  const runAll = async () => {
    for (const seed of seeds) {
      if (shouldEnd(differences.length)) return;
      const found = await run(database, seed).catch((error: unknown) => [`failed: ${error}`]);
      differences.push(...found.map((difference) => `seed ${seed}: ${difference}`));
      completeCount += 1;
    }
  };
  await Promise.all(Array.from({ length: concurrency }, runAll));
  return { count: completeCount, differences };
}
