import { runHistory } from "./connector-history.ts";
import type { SimulatedDatabase } from "./simulated-registry.ts";

// Histories wait for the database most of the time. Each has a store of its own, so they do not affect each other.
const concurrency = 6;

/** Runs histories with consecutive seeds. @returns what is wrong at the end of each, with its seed */
export async function runHistories(
  database: SimulatedDatabase,
  { firstSeed, count }: { readonly firstSeed: number; readonly count: number },
): Promise<string[]> {
  const seeds = Array.from({ length: count }, (_, index) => firstSeed + index).values();
  const wrong: string[] = [];
  const runAll = async () => {
    for (const seed of seeds) {
      const differences = await runHistory(database, seed);
      wrong.push(...differences.map((difference) => `seed ${seed}: ${difference}`));
    }
  };
  await Promise.all(Array.from({ length: concurrency }, runAll));
  return wrong;
}
