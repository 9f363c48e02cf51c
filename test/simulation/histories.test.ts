import { expect, test } from "vitest";
import { z } from "zod";
import { spawnProgram } from "../harness/program/spawn-program.ts";
import { modelNames, runHistories } from "./run-histories.ts";

// The histories compute, on cores that other tests use, too.
const timeout = 300_000;

const counts = z.object({ histories: z.int(), digest: z.string().min(16) });

// `npm run check:simulation` runs many more histories.
test.for([
  ["orders", 2, 5],
  ["triggers", 2, 5],
  // With an erasure that is lost between its claim of an event and the outcome.
  ["feed", 15, 1],
  // With slow reads, and with the restore of a backup.
  ["feed", 16, 1],
  ["feed", 22, 1],
  // With restores that send earlier events again, the second one while a notifier holds a message.
  ["feed", 61, 1],
  ["feed", 2_000_019, 1],
] as const)(
  "histories of %s in simulated worlds lead to what they must lead to, from seed %i",
  { timeout },
  async ([model, firstSeed, count]) => {
    const result = await runHistories({ models: [model], firstSeed, count });
    expect(result).toMatchObject({ differences: [], failures: [], count });
  },
);

test("a seed has a right history of each model, and the same one in two processes, whatever ran before it", {
  timeout,
}, async ({ signal }) => {
  const options = ["--seed", "1", "--seeds", "1", "--processes", "1"];
  const [{ count, digest, ...here }, other] = await Promise.all([
    runHistories({ models: modelNames, firstSeed: 1, count: 1 }),
    spawnProgram(counts, signal, "test/checks/simulation/main.ts", ...options),
  ]);
  expect(here).toMatchObject({ differences: [], failures: [] });
  expect(other.counts).toEqual({ histories: count, digest });
});
