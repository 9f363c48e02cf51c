import { expect, test } from "vitest";
import { z } from "zod";
import { spawnProgram } from "../../harness/program/spawn-program.ts";

const counts = z.object({ mutations: z.int(), unfound: z.int(), differences: z.int() });

test("finds the fault that a mutation plants", { timeout: 120_000 }, async ({ signal }) => {
  const options = ["--mutations", "--only", "settled head", "--seeds", "20"];
  const {
    code,
    output,
    counts: found,
  } = await spawnProgram(counts, signal, "test/checks/simulation/main.ts", ...options);
  expect(found, output).toMatchObject({ mutations: 1, unfound: 0 });
  expect(found.differences).toBeGreaterThan(0);
  expect(code).toBe(0);
});
