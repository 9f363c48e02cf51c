import { expect, test } from "vitest";
import { z } from "zod";
import { spawnProgram } from "../harness/program/spawn-program.ts";
import { modelNames, runHistories } from "./run-histories.ts";

// The histories compute, on cores that other tests use, too.
const timeout = 300_000;

// `npm run check:simulation` runs many more histories.
test.for([
  ["orders", 1, 6],
  ["triggers", 1, 6],
  ["feed", 1, 2],
  // With slow reads, and with the restore of a backup.
  ["feed", 16, 1],
  ["feed", 22, 1],
  // With a restore that sends earlier events again.
  ["feed", 61, 1],
  ["webhooks", 1, 2],
  ["edge", 1, 1],
] as const)(
  "histories of %s in simulated worlds lead to what they must lead to, from seed %i",
  { timeout },
  async ([model, firstSeed, count]) => {
    const result = await runHistories({ models: [model], firstSeed, count });
    expect(result).toMatchObject({ differences: [], failures: [], count });
  },
);

const counts = z.object({ histories: z.int(), digest: z.string().min(16) });

test("a seed has the same history in two processes, whatever ran before it", { timeout }, async ({ signal }) => {
  await runHistories({ models: ["triggers"], firstSeed: 8, count: 1 });
  const here = await runHistories({ models: modelNames, firstSeed: 9, count: 1 });
  const options = ["--seed", "9", "--seeds", "1", "--processes", "1"];
  const other = await spawnProgram(counts, signal, "test/checks/simulation/main.ts", ...options);
  expect(other.counts).toEqual({ histories: here.count, digest: here.digest });
});
