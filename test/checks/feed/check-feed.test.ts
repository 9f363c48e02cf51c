import { expect, test } from "vitest";
import { z } from "zod";
import { spawnProgram, spawnUntil } from "../../harness/program/spawn-program.ts";

// Long enough for a short run of `npm run check:feed` on a slow database server.
const timeout = 240_000;

const counts = z.strictObject({
  seed: z.int(),
  changes: z.int(),
  missed: z.int(),
  out_of_order: z.int(),
  doubled: z.int(),
  phantom: z.int(),
  kills: z.int(),
  clients: z.int(),
  stores: z.int(),
  seconds: z.int(),
  plain_clock: z.boolean(),
  complete: z.boolean(),
  memory_mb: z.record(z.string(), z.array(z.int().nullable())),
  flat: z.boolean().nullable(),
});

const short = ["test/checks/feed/main.ts", "--changes", "1000", "--no-build"];

test("no client misses a change while every process is killed and restarted at least once", { timeout }, async ({
  signal,
}) => {
  const kills = ["--changes", "1500", "--kill-every-ms", "700"];
  const { code, output, counts: found } = await spawnProgram(counts, signal, ...short, ...kills);
  const flawless = { missed: 0, out_of_order: 0, doubled: 0, phantom: 0, plain_clock: false, complete: true };
  expect(found, output).toMatchObject(flawless);
  expect(found.changes).toBeGreaterThanOrEqual(1_500);
  // The database, NATS, three registries and two edges at least once each, and one of these processes again.
  expect(found.kills).toBeGreaterThanOrEqual(8);
  expect(code).toBe(0);
});

test("fails and reports missed or misordered changes when timestamps come from the wall clock", { timeout }, async ({
  signal,
}) => {
  const { code, counts: found } = await spawnProgram(counts, signal, ...short, "--plain-clock");
  expect(found.missed + found.out_of_order).toBeGreaterThan(0);
  expect(found.plain_clock).toBe(true);
  expect(code).toBe(1);
});

test("reports a verdict on its observations and exits with code 2 when stopped", { timeout }, async ({ signal }) => {
  const args = [
    "test/checks/feed/main.ts",
    "--minutes",
    "30",
    "--no-build",
    "--no-kills",
    "--stores",
    "2",
    "--clients",
    "2",
  ];
  const { code, output, counts: found } = await spawnUntil(counts, signal, /[1-9]\d* changes in/, args);
  expect(found, output).toMatchObject({ complete: false, missed: 0, out_of_order: 0, doubled: 0, phantom: 0 });
  expect(found.changes).toBeGreaterThan(0);
  expect(output).toContain("ended early (stopped by SIGTERM)");
  expect(code).toBe(2);
});
