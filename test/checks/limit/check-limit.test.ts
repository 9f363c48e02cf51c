import { expect, test } from "vitest";
import { z } from "zod";
import { spawnProgram } from "../../harness/program/spawn-program.ts";
import { tooSlow } from "./check.ts";

// A short run of `npm run check:limit`: few stores and short windows. Its speed and memory figures are not meaningful.
const timeout = 600_000;

const memory = z.strictObject({ before: z.int(), after: z.int() });
const counts = z.strictObject({
  stores: z.literal(3),
  times: z.literal(20),
  limit: z.literal(12),
  window_ms: z.literal(6_000),
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
  "--window-ms",
  "6000",
  "--seconds",
  "14",
  "--concurrency",
  "24",
];

// The exit code of a check that ended early and had found no fault until then.
const endedWithoutFault = 2;

/**
 * Runs the check, and again while the machine stood still for a window, so that the check was blind. A fault that it
 * found before that counts: such a run is not repeated.
 */
async function checkLimit(signal: AbortSignal, ...options: string[]) {
  for (let tries = 1; ; tries++) {
    const run = await spawnProgram(counts, signal, "test/checks/limit/main.ts", ...short, ...options);
    const wasBlind = run.code === endedWithoutFault && run.output.includes(tooSlow);
    if (!wasBlind || tries >= 5) return run;
  }
}

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
