import { expect, test } from "vitest";
import { z } from "zod";
import { runCheckProgram } from "../runner/run-check-program.ts";

// What `npm run check:limit` does, in its short form: few stores and short windows. How fast, and how much memory, is
// nothing that a test could tell.
const timeout = 120_000;

const memory = z.strictObject({ before: z.int(), after: z.int() });
const counts = z.strictObject({
  stores: z.literal(3),
  times: z.literal(20),
  limit: z.literal(12),
  window_ms: z.literal(3_000),
  limit_of_registry: z.int(),
  seconds: z.literal(8),
  requests: z.int(),
  admitted: z.int(),
  refused: z.int(),
  over_limit: z.int(),
  under_limit: z.int(),
  unmatched: z.int(),
  never_full: z.int(),
  errors: z.int(),
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
});

const short = ["--no-build", "--stores", "3", "--limit", "12", "--window-ms", "3000", "--seconds", "8"];
const checkLimit = (signal: AbortSignal, ...options: string[]) =>
  runCheckProgram(counts, signal, "test/checks/limit/main.ts", ...short, ...options);

test("stores that ask for 20 times their limit over three edges get exactly what a sliding window allows", {
  timeout,
}, async ({ signal }) => {
  const { code, words, counts } = await checkLimit(signal);
  const flawless = { over_limit: 0, under_limit: 0, unmatched: 0, never_full: 0, errors: 0 };
  expect(counts, words).toMatchObject({ ...flawless, fullest_window: 12 });
  expect(counts.admitted + counts.refused).toBe(counts.requests);
  expect(code).toBe(0);
});

test.for([
  ["too many", "13", "over_limit"],
  ["too few", "11", "under_limit"],
] as const)("a registry that admits %s is found out", { timeout }, async ([, limit, wrong], { signal }) => {
  const { code, words, counts } = await checkLimit(signal, "--limit-of-registry", limit);
  expect(counts[wrong], words).toBeGreaterThan(0);
  expect(counts).toMatchObject({ unmatched: 0, errors: 0 });
  expect(code).toBe(1);
});
