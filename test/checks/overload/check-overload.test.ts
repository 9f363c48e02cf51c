import { expect, test } from "vitest";
import { spawnCheck } from "../../harness/program/spawn-program.ts";

// Each test is a short run of `npm run check:overload`, whose rates and latencies are not meaningful.
const timeout = 600_000;

const short = ["--short", "--no-build", "--stores", "4", "--others", "4", "--seconds", "3", "--command-ms", "40"];
const checkOverload = (signal: AbortSignal, ...options: string[]) =>
  spawnCheck("overload", signal, ...short, ...options);

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
