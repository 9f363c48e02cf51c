import { expect, test } from "vitest";
import { z } from "zod";
import { runCheckProgram } from "../runner/run-check-program.ts";

// What `npm run check:feed` does, in its short form. The database server is the one that is there: a slow one takes
// longer.
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
});

const checkFeed = (signal: AbortSignal, ...options: string[]) =>
  runCheckProgram(
    counts,
    signal,
    ...["test/checks/feed/main.ts", "--changes", "1500", "--no-build", ...options],
  );

test("no client misses a change while every part of the system is killed", { timeout }, async ({
  signal,
}) => {
  const { code, words, counts } = await checkFeed(signal, "--kill-every-ms", "1000");
  const flawless = { missed: 0, out_of_order: 0, doubled: 0, phantom: 0, plain_clock: false };
  expect(counts, words).toMatchObject(flawless);
  expect(counts.changes).toBeGreaterThanOrEqual(1_500);
  // Each of the eight parts at least once, the database among them.
  expect(counts.kills).toBeGreaterThanOrEqual(8);
  expect(code).toBe(0);
});

test("clients miss changes where times come from a plain clock, and the check says so", {
  timeout,
}, async ({ signal }) => {
  const { code, counts } = await checkFeed(signal, "--plain-clock");
  expect(counts.missed + counts.out_of_order).toBeGreaterThan(0);
  expect(counts.plain_clock).toBe(true);
  expect(code).toBe(1);
});
