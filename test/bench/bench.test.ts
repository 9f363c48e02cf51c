import { expect, test } from "vitest";
import { z } from "zod";
import { spawnProgram } from "../harness/program/spawn-program.ts";
import { headlines } from "./dotted-figures.ts";
import { type PartName, partNames } from "./options.ts";

// A minimal run of `npm run bench`: verifies the names of its figures rather than their values.
const timeout = 600_000;
const shortest = [
  ...["--seconds", "0.1", "--rounds", "1", "--stores", "2", "--no-build", "--json", "--share-stacks"],
  ...["--certificates", "500", "--large", "2000", "--minutes", "0.1"],
];

// Null or zero when a process used less CPU time than the resolution of /proc, or when the server reports no counts.
const figure = z.number().nullable();
const output = z
  .object({
    "run.cores": z.int(),
    "run.cpu": z.string(),
    "run.node": z.string(),
    "run.database": z.string(),
    "run.rounds": z.literal(1),
    "run.seconds": z.literal(0.1),
    "run.stores": z.literal(2),
  })
  .catchall(figure);

/** Returns the names of the {@link headlines} that belong to these parts. */
const headlinesOf = (names: readonly PartName[]) =>
  Object.keys(headlines).filter((headline) => names.some((name) => headline.startsWith(`${name}.`)));

// These parts start many processes or wait for minutes.
const slowParts: readonly PartName[] = ["overload", "start"];
const quickParts = partNames.filter((name) => !slowParts.includes(name));

test("prints the quick parts' figures as JSON with dotted names on the last line", { timeout }, async ({ signal }) => {
  const run = await spawnProgram(output, signal, "test/bench/main.ts", "--only", quickParts.join(), ...shortest);
  expect(run.code, run.output).toBe(0);
  expect(run.output).toContain("changes over 2 stores");
  expect(run.output).toContain("webhooks: a backlog over 2 stores");
  expect(Object.keys(run.counts)).toEqual(expect.arrayContaining(headlinesOf(quickParts)));
  expect(run.counts["list.page_50.service_per_second"]).toBeGreaterThan(0);
  expect(run.counts["sync.certificates_per_second"]).toBeGreaterThan(0);
  expect(Object.keys(run.counts)).toEqual(
    expect.arrayContaining([
      ...["list.page_1.cpu_ratio", "list.page_100.cpu_ratio", "list.latency.bare_p99_ms"],
      ...["unauthorized", "plan_required", "rate_limited", "bad_request"].map((n) => `list.refusals.cpu_share_${n}`),
      ...["flat.plans.keys_examined_status_active", "memory.load.registry_heap_slope"],
      ...["webhooks.backlog.cpu_micros_services.max", "import.one_store.rate_ratio_insert_many"],
      ...["changes.one_store.rate_ratio_with_transaction", "admission.refused.rate_ratio_find_one"],
    ]),
  );
});
