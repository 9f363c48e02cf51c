import { expect, test } from "vitest";
import { z } from "zod";
import { spawnProgram } from "../harness/program/spawn-program.ts";
import { variants } from "../harness/variants.ts";
import { modelNames, runHistories } from "./run-histories.ts";

// The histories compute, on cores that other tests use, too.
const timeout = 300_000;

const counts = z.object({ histories: z.int(), digest: z.string().min(16) });

const feedSeeds = variants([
  // With restores that send earlier events again, the second one while a notifier holds a message.
  61, 109,
  // With an erasure that is lost between its claim of an event and the outcome.
  74,
  // With slow reads, and with the restore of a backup.
  16, 22,
]);

// `npm run check:simulation` runs many more histories.
test.for([
  ["orders", 2, 5],
  ["triggers", 2, 5],
  // With a claim that was decided before the clock was set back, and stored afterwards.
  ["triggers", 6_103_434, 1],
  // With times that are corrected by a registry that has not learnt how far the clock was set back.
  ["triggers", 6_106_149, 1],
  ...feedSeeds.map((seed) => ["feed", seed, 1] as const),
  ["webhooks", 2, 1],
  // With a clock set back shortly before the last fault.
  ["edge", 1_437, 1],
] as const)(
  "histories of %s in simulated worlds lead to what they must lead to, from seed %i",
  { timeout },
  async ([model, firstSeed, count]) => {
    const result = await runHistories({ models: [model], firstSeed, count });
    expect(result).toMatchObject({ differences: [], failures: [], count });
  },
);

test.for(variants(modelNames))(
  "a seed has a right history of %s, and the same one in two processes, whatever ran before it",
  { timeout },
  async (model, { signal }) => {
    const options = ["--model", model, "--seed", "1", "--seeds", "1", "--processes", "1"];
    const [{ count, digest, ...here }, other] = await Promise.all([
      runHistories({ models: [model], firstSeed: 1, count: 1 }),
      spawnProgram(counts, signal, "test/checks/simulation/main.ts", ...options),
    ]);
    expect(here).toMatchObject({ differences: [], failures: [] });
    expect(other.counts).toEqual({ histories: count, digest });
  },
);
