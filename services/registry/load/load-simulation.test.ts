import { describe, expect, test } from "vitest";
import { registryConfig } from "../config.ts";
import { capacityOf, p99Of, simulate } from "./load-simulation-fixture.ts";

const { listConcurrency, listConcurrencyPerStore } = registryConfig.load({
  REGISTRY_MONGODB_URI: "mongodb://127.0.0.1/registry",
  REGISTRY_NATS_SERVERS: "127.0.0.1",
  REGISTRY_VERIFY_BASE_URL: "https://verify.example.test",
  REGISTRY_SECRET_KEY_FILES: "/key",
});
const bounds = { inFlightMax: listConcurrency, inFlightPerStoreMax: listConcurrencyPerStore, waitingMax: 1_000 };
const noBounds = { inFlightMax: 1e9, inFlightPerStoreMax: 1e9, waitingMax: 1e9 };

// With the slower database, each of 50 stores has only a few waiting requests that can still end in time.
describe.each([15, 30])("LoadShedder, simulated with database commands of %i ms on average,", (commandMs) => {
  const capacity = capacityOf(commandMs);
  const others = { stores: 20, perSecond: () => 0.1 * capacity };
  const steady = simulate({ bounds, commandMs }, { stores: 50, perSecond: () => 0.7 * capacity }, others);

  test.each([
    [5, 1],
    [5, 50],
    [10, 1],
    [10, 50],
  ])(
    "keeps goodput over 90% of the capacity and other stores' latency under twice its steady value at %i times the capacity, from %i store(s)",
    async (times, stores) => {
      const { othersP99Ms: steadyP99Ms } = await steady;
      const overload = await simulate({ bounds, commandMs }, { stores, perSecond: () => times * capacity }, others);
      expect(overload.goodput).toBeGreaterThan(0.9 * capacity);
      expect(overload.othersP99Ms).toBeLessThan(2 * steadyP99Ms);
    },
  );

  test("without bounds, has a goodput below half of the capacity and answers other stores too late", async () => {
    const load = { stores: 50, perSecond: () => 5 * capacity };
    const { goodput, othersP99Ms } = await simulate({ bounds: noBounds, commandMs }, load, others);
    expect(goodput).toBeLessThan(0.5 * capacity);
    expect(othersP99Ms).toBe(Number.POSITIVE_INFINITY);
  });
});

test("LoadShedder keeps other stores' latency under twice its steady value during repeated overloads", async () => {
  const [commandMs, periods, periodMs] = [30, 10, 60_000];
  const capacity = capacityOf(commandMs);
  const isSteady = (atMs: number) => atMs % periodMs < periodMs / 2;
  const { others } = await simulate(
    { bounds, commandMs, seconds: (periods * periodMs) / 1_000 },
    { stores: 50, perSecond: (atMs) => (isSteady(atMs) ? 0.7 : 5) * capacity },
    { stores: 20, perSecond: () => 0.1 * capacity },
  );
  // As in check:overload, the first tenth of each half of a period is not measured.
  const isMeasured = (atMs: number) => atMs % (periodMs / 2) >= periodMs / 20;
  const p99Sent = (period: number, wanted: boolean) =>
    p99Of(
      others
        .filter(({ sentAtMs }) => Math.floor(sentAtMs / periodMs) === period && isMeasured(sentAtMs))
        .flatMap(({ sentAtMs, latencyMs }) => (isSteady(sentAtMs) === wanted ? [latencyMs] : [])),
    );
  for (let period = 1; period < periods; period++)
    expect(p99Sent(period, false)).toBeLessThan(2 * p99Sent(period, true));
});
