import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { indexes } from "../../services/registry/mongo/opening/indexes.ts";
import { defaultRetention } from "../../services/registry/values/retention.ts";
import { costs, facts } from "./costs.ts";
import { ceilingsOf, estimate, type Load } from "./estimate.ts";
import { withSizingTables } from "./sizing-tables.ts";

const load: Load = { stores: 1_000, certificates: 5_000_000, changesPerSecond: 20, pagesPerSecond: 100 };

test("deploy/SIZING.md matches the output of npm run generate", () => {
  const written = readFileSync(new URL("../SIZING.md", import.meta.url), "utf8");
  expect(withSizingTables(written)).toBe(written);
});

describe("estimate", () => {
  test("adds up the costs of pages, changes and messages", () => {
    const { edge, registry, notifier, database } = estimate(load);
    expect(edge.coresUsed).toBeCloseTo(0.028, 6);
    expect(registry.coresUsed).toBeCloseTo(0.054 + 0.032 + 0.005, 6);
    expect(notifier.coresUsed).toBeCloseTo(0.018, 6);
    expect(database.coresUsed).toBeCloseTo(0.05 + 0.042 + 0.012, 6);
  });

  test("plans at least two replicas of each service, and leaves half of the cores free at peak load", () => {
    expect(estimate({ stores: 1, certificates: 1, changesPerSecond: 0.01, pagesPerSecond: 0.01 })).toMatchObject({
      edge: { replicas: 2 },
      registry: { replicas: 2 },
      notifier: { replicas: 2 },
      database: { cores: 2, memoryGb: 4, diskGb: 20 },
    });
    const { edge } = estimate({ ...load, pagesPerSecond: 10_000 });
    expect(edge.replicas).toBe(Math.ceil((10_000 * costs.pageEdge.value) / 1e6 / 0.5));
  });

  test("needs ten times the database CPU at ten times the load, with a tenth of the headroom", () => {
    const tenTimes = { ...load, certificates: 50_000_000, changesPerSecond: 200, pagesPerSecond: 1_000 };
    const [one, ten] = [estimate(load), estimate(tenTimes)];
    expect(ten.database.coresUsed).toBeCloseTo(10 * one.database.coresUsed);
    expect(ceilingsOf(tenTimes)[0]?.factor).toBeCloseTo((ceilingsOf(load)[0]?.factor ?? 0) / 10);
  });
});

describe("the facts behind the estimate", () => {
  test.each([
    ["certificates", facts.certificateIndexes],
    ["history", facts.historyIndexes],
    ["deliveries", facts.deliveryIndexes],
  ] as const)("count the indexes of %s in the database, including the index on the id", (collection, count) => {
    expect(count).toBe(indexes[collection].length + 1);
  });

  test("assume the default retention of the delivery log", () => {
    expect(facts.deliveryLogDays).toBe(defaultRetention.deliveryLogDays);
  });
});
