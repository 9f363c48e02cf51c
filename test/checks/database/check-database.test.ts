import { expect, test } from "vitest";
import { z } from "zod";
import { spawnProgram } from "../../harness/program/spawn-program.ts";

const counts = z.strictObject({ checks: z.int(), failed: z.int(), skipped: z.int() });

// A short run of `npm run check:database`.
test("no check of the installed database server fails", { timeout: 300_000 }, async ({ signal }) => {
  const options = ["--no-build", "--documents", "1000"];
  const run = await spawnProgram(counts, signal, "test/checks/database/main.ts", ...options);
  expect(run.counts, run.output).toMatchObject({ failed: 0 });
  expect(run.counts.checks).toBeGreaterThan(20);
  expect(run.counts.checks - run.counts.skipped).toBeGreaterThan(12);
  expect(run.code).toBe(0);
});

test("rejects a URL that is not a MongoDB connection string", async ({ signal }) => {
  const run = spawnProgram(counts, signal, "test/checks/database/main.ts", "--uri", "postgres://127.0.0.1/x");
  await expect(run).rejects.toThrow("not a MongoDB connection string");
});
