import { expect, test } from "vitest";
import { z } from "zod";
import { spawnProgram } from "../harness/program/spawn-program.ts";
import { modelNames, runHistories } from "./run-histories.ts";

// `npm run check:simulation` runs many more histories.
test.for(modelNames)("a history of %s in a simulated world leads to what it must lead to", async (model) => {
  const { differences, count } = await runHistories({ models: [model], firstSeed: 1, count: 12 });
  expect(differences).toEqual([]);
  expect(count).toBe(12);
});

const counts = z.object({ histories: z.int(), digest: z.string().min(16) });

test("a seed has the same history in two processes, whatever ran before it", async ({ signal }) => {
  const run = (seed: number, seeds: number) =>
    spawnProgram(
      counts,
      signal,
      ...["test/checks/simulation/main.ts", "--seed", String(seed), "--seeds", String(seeds), "--processes", "1"],
    );
  const [other, here] = await Promise.all([
    run(3, 2),
    runHistories({ models: modelNames, firstSeed: 2, count: 1 }).then(() =>
      runHistories({ models: modelNames, firstSeed: 3, count: 2 }),
    ),
  ]);
  expect(other.counts).toEqual({ histories: here.count, digest: here.digest });
});
