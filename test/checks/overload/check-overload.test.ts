import { expect, test } from "vitest";
import { z } from "zod";
import { spawnProgram } from "../../harness/program/spawn-program.ts";

// Each test is a short run of `npm run check:overload`, whose rates and latencies are not meaningful.
const timeout = 600_000;

const memory = z.record(z.string(), z.strictObject({ before: z.int(), after: z.int() }));
const counts = z.strictObject({
  seed: z.int(),
  short: z.literal(true),
  stores: z.literal(4),
  others: z.literal(4),
  seconds: z.literal(3),
  capacity_per_second: z.number(),
  goodput_ratio: z.number(),
  other_store_p99_ratio: z.number().nullable(),
  places_lost: z.int(),
  relay_leases_lost: z.int(),
  relay_failures: z.int(),
  pages_without_place: z.int(),
  rate_limited: z.int(),
  unexpected_status: z.int(),
  others_failed: z.int(),
  others_served: z.int(),
  changes: z.int(),
  webhooks: z.int(),
  webhooks_undelivered: z.int(),
  busy_after_ms: z.int().nullable(),
  overloads: z.literal(1),
  measurements: z.int(),
  measurements_judged: z.int(),
  memory_mb: memory,
  flat: z.null(),
  other_programs: z.number().nullable(),
  total_seconds: z.int(),
});

const short = ["--short", "--no-build", "--stores", "4", "--others", "4", "--seconds", "3", "--command-ms", "40"];
const checkOverload = (signal: AbortSignal, ...options: string[]) =>
  spawnProgram(counts, signal, "test/checks/overload/main.ts", ...short, ...options);

test("loses no rate-limit places and no relay leases at a load of 10 times the capacity", {
  timeout,
}, async ({ signal }) => {
  const { code, output, counts } = await checkOverload(signal);
  const flawless = { places_lost: 0, relay_leases_lost: 0, pages_without_place: 0, rate_limited: 0 };
  expect(counts, output).toMatchObject({ ...flawless, unexpected_status: 0, webhooks_undelivered: 0 });
  expect(counts.others_served).toBeGreaterThan(0);
  expect(counts.changes).toBeGreaterThan(0);
  expect(counts.measurements_judged).toBeGreaterThan(0);
  expect(code).toBe(0);
});

test("reports lost places and fails for a registry that neither sheds load nor returns places", {
  timeout,
}, async ({ signal }) => {
  const { code, counts } = await checkOverload(signal, "--no-shedding");
  expect(counts.places_lost).toBeGreaterThan(0);
  expect(code).toBe(1);
});
