import { expect, test } from "vitest";
import { z } from "zod";
import { spawnProgram } from "../../harness/program/spawn-program.ts";

// Each test is a short run of `npm run check:mirrors` with the installed database server, which may be slow.
const timeout = 600_000;
const short = ["--changes", "150", "--kills-per-step", "1", "--kill-every-ms", "700", "--no-build"];

const counts = z.strictObject({
  seed: z.int(),
  changes: z.int(),
  missing: z.int(),
  different: z.int(),
  phantom: z.int(),
  unnoticed: z.int(),
  complete: z.boolean(),
  kills: z.int(),
  step_kills: z.int(),
  mirrors: z.int(),
  messages: z.int(),
  catch_ups: z.int(),
  ignore_epoch: z.boolean(),
  seconds: z.int(),
});

const checkMirrors = (signal: AbortSignal, ...options: string[]) =>
  spawnProgram(counts, signal, "test/checks/mirrors/main.ts", ...short, ...options);

test("mirrors in SQLite and PostgreSQL equal the list even after all processes are killed and the database restored", {
  timeout,
}, async ({ signal }) => {
  const { code, output, counts: found } = await checkMirrors(signal);
  const flawless = { missing: 0, different: 0, phantom: 0, unnoticed: 0, complete: true, mirrors: 2 };
  expect(found, output).toMatchObject(flawless);
  expect(found.changes).toBeGreaterThanOrEqual(450);
  // Each of the three parts kills the database, NATS, two registries, two edges and two mirrors.
  expect(found.kills).toBeGreaterThanOrEqual(24);
  // A notifier is killed at each of the six delivery steps.
  expect(found.step_kills).toBeGreaterThanOrEqual(6);
  expect(found.messages).toBeGreaterThan(10);
  expect(found.catch_ups).toBeGreaterThan(4);
  expect(code).toBe(0);
});

test("fails if mirrors ignore the epoch and keep changes that a restore undid", { timeout }, async ({ signal }) => {
  const { code, counts: found } = await checkMirrors(signal, "--ignore-epoch");
  expect(found.phantom + found.different).toBeGreaterThan(0);
  expect(found.unnoticed).toBe(2);
  expect(code).toBe(1);
});
