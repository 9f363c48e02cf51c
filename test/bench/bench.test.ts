import { expect, test } from "vitest";
import { z } from "zod";
import { spawnProgram } from "../harness/program/spawn-program.ts";

// A minimal run of `npm run bench`: verifies the structure of its output, not its figures.
const timeout = 300_000;
const shortest = ["--seconds", "0.1", "--rounds", "1", "--stores", "2", "--no-build"];

const positive = z.number().positive();
const spread = z.strictObject({ median: positive, min: positive, max: positive });
const share = z.record(z.enum(["median", "min", "max"]), z.number().nonnegative());
// Null or zero when a process used less CPU time than the resolution of /proc.
const cpuMicrosPerUnit = z.record(z.string(), z.number().nonnegative().nullable());
const cpuShare = z.record(z.enum(["median", "min", "max"]), z.number().nonnegative().nullable());
const side = z.strictObject({ perSecond: spread, cpuMicrosPerUnit });
const finding = <Numbers extends string>(others: readonly string[], ...numbers: Numbers[]) =>
  z.strictObject({
    title: z.string().min(1),
    sides: z.strictObject(Object.fromEntries(["service", ...others].map((name) => [name, side]))),
    shareOf: z.strictObject(Object.fromEntries(others.map((name) => [name, spread]))),
    ...(numbers.length === 0
      ? {}
      : { numbers: z.strictObject(Object.fromEntries(numbers.map((name) => [name, spread]))) }),
  });
const waits = ["since_answer", "since_change"].flatMap((since) =>
  ["p50", "p99", "max"].map((quantile) => [`${since}_${quantile}_ms`, z.number()] as const),
);

const rises = ["p50", "p99"].flatMap((quantile) => [
  [`without_${quantile}_ms`, spread] as const,
  [`beside_${quantile}_ms`, spread] as const,
  [`rise_${quantile}_of_all`, positive] as const,
]);
const alone = <Numbers extends z.ZodRawShape>(numbers: Numbers) =>
  z.strictObject({
    title: z.string().min(1),
    sides: z.strictObject({}),
    shareOf: z.strictObject({}),
    numbers: z.strictObject(numbers),
  });

const pages = z.strictObject({
  ...finding(["bare"]).shape,
  numbers: z.strictObject({ cpu_micros_services: cpuShare, cpu_micros_bare: cpuShare, cpu_ratio: cpuShare }),
});

const output = z.strictObject({
  run: z.strictObject({
    cores: z.int(),
    cpu: z.string(),
    node: z.string(),
    database: z.string(),
    rounds: z.literal(1),
    seconds: z.literal(0.1),
    stores: z.literal(2),
  }),
  list: z.strictObject({
    ...{ page_50: pages, page_1: pages, page_100: pages },
    latency: alone({
      ...{ service_p50_ms: positive, service_p99_ms: positive, bare_p50_ms: positive, bare_p99_ms: positive },
      ...{ p99_ratio: positive, stolen_percent: share },
    }),
    refusals: alone(
      Object.fromEntries(
        ["unauthorized", "plan_required", "rate_limited", "bad_request"].map((name) => [`cpu_share_${name}`, cpuShare]),
      ),
    ),
  }),
  changes: z.strictObject({
    over_stores: finding(["transaction"]),
    one_store: finding(["transaction", "with_transaction"]),
    one_caller: finding(["transaction"]),
  }),
  import: z.strictObject({
    one_store: finding(["transaction", "insert_many"]),
    several_stores: finding(["transaction", "insert_many"]),
  }),
  webhooks: z.strictObject({
    backlog: finding(
      ["posts"],
      "per_core_notifier_of_posts",
      "per_core_services_of_posts",
      "cpu_micros_services",
      "cpu_micros_with_servers",
    ),
    latency: alone({ ...Object.fromEntries(waits), stolen_percent: share }),
  }),
  isolation: z.strictObject({
    hanging_store: alone({ ...Object.fromEntries(rises), stolen_percent: share }),
  }),
  tls_flood: z.strictObject({
    flooding_stores: alone({ ...Object.fromEntries(rises), stolen_percent: share, floods: positive }),
  }),
  admission: z.strictObject({
    one_key: finding(["find_one"]),
    many_keys: finding(["find_one"]),
    unknown_key: finding(["find_one"]),
    refused: finding(["find_one"]),
  }),
});

test("measures every part and prints all figures as JSON in the last line", { timeout }, async ({ signal }) => {
  const run = await spawnProgram(output, signal, "test/bench/main.ts", ...shortest);
  expect(run.code, run.output).toBe(0);
  expect(run.output).toContain("changes over 2 stores");
  expect(run.output).toContain("webhooks: a backlog over 2 stores");
});
