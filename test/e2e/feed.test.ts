import { expect, test } from "vitest";
import { feedCounts } from "../checks/feed/printed-counts.ts";
import { spawnProgram } from "../harness/program/spawn-program.ts";
import { variants } from "../harness/variants.ts";

// Long enough for a short run of `npm run check:feed` on a busy machine; the check ends a run that stands still.
const timeout = 600_000;
// Between two kills, about 40 changes are made.
const changes = Math.max(...variants([700, 1_500]));

test("no client misses a change while every process is killed and restarted at least once", { timeout }, async ({
  signal,
}) => {
  const short = ["test/checks/feed/main.ts", "--changes", `${changes}`, "--kill-every-ms", "700", "--no-build"];
  const { code, output, counts: found } = await spawnProgram(feedCounts, signal, ...short);
  const flawless = { missed: 0, out_of_order: 0, doubled: 0, phantom: 0, plain_clock: false, complete: true };
  expect(found, output).toMatchObject(flawless);
  expect(found.changes).toBeGreaterThanOrEqual(changes);
  // The database, NATS, three registries and two edges.
  expect(found.kills).toBeGreaterThanOrEqual(7);
  expect(code).toBe(0);
});
