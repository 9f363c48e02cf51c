import { expect, test } from "vitest";
import { z } from "zod";
import { spawnProgram } from "../../harness/program/spawn-program.ts";

// A short run of `npm run check:limit`: few stores and short windows. Its speed and memory figures are not meaningful.
const timeout = 600_000;

const memory = z.strictObject({ before: z.int(), after: z.int() });
const counts = z.strictObject({
  stores: z.literal(3),
  times: z.literal(20),
  limit: z.literal(12),
  window_ms: z.literal(12_000),
  limit_of_registry: z.int(),
  seconds: z.int(),
  requests: z.int(),
  admitted: z.int(),
  refused: z.int(),
  over_limit: z.int(),
  under_limit: z.int(),
  unmatched: z.int(),
  never_full: z.int(),
  errors: z.int(),
  shed: z.int(),
  fullest_window: z.int(),
  requests_per_second: z.int(),
  times_reached: z.number(),
  p50_ms: z.number(),
  p99_ms: z.number(),
  memory_mb: z.strictObject({
    database: memory,
    registry: memory,
    "edge-1": memory,
    "edge-2": memory,
    "edge-3": memory,
  }),
  flat: z.null(),
  complete: z.boolean(),
});

const short = [
  "--no-build",
  "--stores",
  "3",
  "--limit",
  "12",
  // The check is blind, and fails, once the machine stands still for a window.
  "--window-ms",
  "12000",
  "--seconds",
  "24",
  "--concurrency",
  "24",
];

const checkLimit = (signal: AbortSignal, ...options: string[]) =>
  spawnProgram(counts, signal, "test/checks/limit/main.ts", ...short, ...options);

test("three edges together admit exactly the requests that a sliding window allows, at 20 times the permitted rate", {
  timeout,
}, async ({ signal }) => {
  const { code, output, counts } = await checkLimit(signal);
  const flawless = { over_limit: 0, under_limit: 0, unmatched: 0, never_full: 0, errors: 0, complete: true };
  expect(counts, output).toMatchObject({ ...flawless, fullest_window: 12 });
  expect(counts.admitted + counts.refused).toBe(counts.requests);
  expect(code).toBe(0);
});

test.for([
  ["one request too many", "13", "over_limit"],
  ["one request too few", "11", "under_limit"],
] as const)("fails for a registry that admits %s", { timeout }, async ([, limit, wrong], { signal }) => {
  const { code, output, counts } = await checkLimit(signal, "--limit-of-registry", limit, "--seconds", "9");
  expect(counts[wrong], output).toBeGreaterThan(0);
  expect(counts).toMatchObject({ unmatched: 0, errors: 0 });
  expect(code).toBe(1);
});
