import { expect, test } from "vitest";
import { z } from "zod";
import { spawnProgram } from "../../harness/program/spawn-program.ts";
import { mutations } from "../../simulation/mutations.ts";

// The histories compute, on cores that other tests use, too.
const timeout = 900_000;

test("histories on real servers lead to what they must lead to", { timeout }, async ({ signal }) => {
  const options = ["--real", "--no-build", "--seeds", "5", "--minutes", "1"];
  const { code, output } = await spawnProgram(z.looseObject({}), signal, "test/checks/simulation/main.ts", ...options);
  expect(code, output).toBe(0);
});

const counts = z.object({ mutations: z.int(), unfound: z.int(), differences: z.int() });

const mutationsOf = (name: string) => mutations.filter(({ model = "orders" }) => model === name).length;

// Not those of feed, webhooks and edge, which take half an hour.
test.for([
  ["each mutation of orders plants", mutationsOf("orders"), ["--model", "orders", "--processes", "2"]],
  ["each mutation of triggers plants", mutationsOf("triggers"), ["--model", "triggers", "--processes", "2"]],
  ["a mutation plants, on real servers", 1, ["--only", "settled head", "--real", "--no-build"]],
] as const)("finds the fault that %s", { timeout }, async ([, count, options], { signal }) => {
  const { code, output, ...result } = await spawnProgram(
    counts,
    signal,
    "test/checks/simulation/main.ts",
    ...["--mutations", "--seeds", "60", ...options],
  );
  expect(result.counts, output).toMatchObject({ mutations: count, unfound: 0 });
  expect(result.counts.differences).toBeGreaterThanOrEqual(count);
  expect(code).toBe(0);
});

test("shortens the history that finds a mutation to the changes that it needs, and tells them in words", {
  timeout,
}, async ({ signal }) => {
  const mutation = "a change writes nothing if the order has changed since it was read";
  const options = ["--mutations", "--only", mutation, "--shorten", "--seeds", "20"];
  const { code, output } = await spawnProgram(counts, signal, "test/checks/simulation/main.ts", ...options);
  const events = output.split("\n").filter((line) => / s {2}/.test(line));
  expect(code, output).toBe(0);
  expect(output).toContain("a registry that was frozen changed certificates of orders that another one had compared");
  // The whole history has several hundred.
  expect(events.length, output).toBeLessThanOrEqual(5);
  expect(
    events.some((line) => line.includes("while a registry is frozen in its work, two changes meet")),
    output,
  ).toBe(true);
});
