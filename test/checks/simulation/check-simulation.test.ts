import { expect, test } from "vitest";
import { z } from "zod";
import { spawnProgram } from "../../harness/program/spawn-program.ts";

test("histories on real servers lead to what they must lead to", { timeout: 120_000 }, async ({ signal }) => {
  const options = ["--real", "--no-build", "--seeds", "5", "--minutes", "1"];
  const { code, output } = await spawnProgram(z.looseObject({}), signal, "test/checks/simulation/main.ts", ...options);
  expect(code, output).toBe(0);
});

const counts = z.object({ mutations: z.int(), unfound: z.int(), differences: z.int() });

test.for([
  ["simulated", []],
  ["real", ["--real", "--no-build"]],
] as const)(
  "finds the fault that a mutation plants, on %s servers",
  { timeout: 120_000 },
  async ([, servers], { signal }) => {
    const options = ["--mutations", "--only", "settled head", "--seeds", "20", ...servers];
    const {
      code,
      output,
      counts: found,
    } = await spawnProgram(counts, signal, "test/checks/simulation/main.ts", ...options);
    expect(found, output).toMatchObject({ mutations: 1, unfound: 0 });
    expect(found.differences).toBeGreaterThan(0);
    expect(code).toBe(0);
  },
);
