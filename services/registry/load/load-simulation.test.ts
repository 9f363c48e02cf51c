import { describe, expect, test } from "vitest";
import { loadConfig } from "../config.ts";
import { simulate, simulatedCapacity } from "./load-simulation-fixture.ts";

const { listConcurrency, listConcurrencyPerStore } = loadConfig({
  REGISTRY_MONGODB_URI: "mongodb://127.0.0.1/registry",
  REGISTRY_NATS_SERVERS: "127.0.0.1",
  REGISTRY_VERIFY_BASE_URL: "https://verify.example.test",
  REGISTRY_SECRET_KEY_FILES: "/key",
});
const bounds = { inFlightMax: listConcurrency, inFlightPerStoreMax: listConcurrencyPerStore, waitingMax: 1_000 };
const noBounds = { inFlightMax: 1e9, inFlightPerStoreMax: 1e9, waitingMax: 1e9 };

const others = { stores: 20, perSecond: 0.1 * simulatedCapacity };

describe("simulated overload with the default bounds", () => {
  const steady = simulate(bounds, { stores: 50, perSecond: 0.7 * simulatedCapacity }, others);

  test.each([
    [5, 1],
    [5, 50],
    [10, 1],
    [10, 50],
  ])(
    "keeps goodput and the other stores' latency at %i times the capacity, from %i store(s)",
    async (times, stores) => {
      const { othersP99Ms: steadyP99Ms } = await steady;
      const overload = await simulate(bounds, { stores, perSecond: times * simulatedCapacity }, others);
      expect(overload.goodput).toBeGreaterThan(0.9 * simulatedCapacity);
      expect(overload.othersP99Ms).toBeLessThan(2 * steadyP99Ms);
    },
  );

  test("answers almost no request in time without bounds", async () => {
    const { goodput, othersP99Ms } = await simulate(noBounds, { stores: 50, perSecond: 5 * simulatedCapacity }, others);
    expect(goodput).toBeLessThan(0.5 * simulatedCapacity);
    expect(othersP99Ms).toBe(Number.POSITIVE_INFINITY);
  });
});
