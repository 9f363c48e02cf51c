import { setTimeout as delay } from "node:timers/promises";
import { Registry } from "prom-client";
import { expect, test } from "vitest";
import type { RelayLoad } from "../outbox/relay.ts";
import { observeRelay } from "./observe-relay.ts";

const now = 1_000_000;

function relayMetrics(load: RelayLoad, oldestAt: () => Promise<Date | undefined>, isFirst = true) {
  const metrics = new Registry();
  let reads = 0;
  observeRelay({
    load: () => load,
    isFirst: () => isFirst,
    oldestAt: () => {
      reads++;
      return oldestAt();
    },
    clock: {
      now: () => now,
      sleep: async (durationMs, signal) => {
        await delay(durationMs / 50, undefined, { signal }).catch(() => undefined);
      },
    },
    metrics,
  });
  const values = async () => {
    const lines = (await metrics.metrics()).split("\n").filter((line) => line !== "" && !line.startsWith("#"));
    return Object.fromEntries(lines.map((line) => line.split(" ")));
  };
  return { values, readCount: () => reads };
}

const load = { partitionCount: 8, inFlightCount: 3, waitingStoreCount: 2 };

test("the replica with the first partition reports its partitions and the age of the oldest event", async () => {
  const { values } = relayMetrics(load, async () => new Date(now - 2_500));
  expect(await values()).toEqual({
    registry_relay_partitions: "8",
    registry_relay_events_out: "3",
    registry_relay_stores_waiting: "2",
    registry_outbox_oldest_age_seconds: "2.5",
  });
});

test.each([
  ["all events are settled", undefined],
  ["the store's clock is ahead of the local clock", new Date(now + 5)],
])("the age is 0 when %s", async (_when, oldest) => {
  const { values } = relayMetrics(load, async () => oldest);
  expect(await values()).toMatchObject({ registry_outbox_oldest_age_seconds: "0" });
});

test("a replica without the first partition reports no age, and does not read the outbox", async () => {
  const { values, readCount } = relayMetrics(load, async () => new Date(now), false);
  expect(await values()).toEqual({
    registry_relay_partitions: "8",
    registry_relay_events_out: "3",
    registry_relay_stores_waiting: "2",
  });
  expect(readCount()).toBe(0);
});

test("the age is absent while the outbox cannot be read", async () => {
  let isUnavailable = false;
  const { values } = relayMetrics(load, async () => {
    if (isUnavailable) throw new Error("unavailable");
    return new Date(now - 1_000);
  });
  expect(await values()).toMatchObject({ registry_outbox_oldest_age_seconds: "1" });
  isUnavailable = true;
  expect(Object.keys(await values())).not.toContain("registry_outbox_oldest_age_seconds");
});

test("concurrent scrapes share one read", async () => {
  const { values, readCount } = relayMetrics(load, async () => new Date(now));
  await Promise.all([values(), values(), values()]);
  expect(readCount()).toBe(1);
});

test("a read that hangs does not block scrapes, and later scrapes do not start another read", async () => {
  const { values, readCount } = relayMetrics(load, () => new Promise(() => undefined));
  expect(await values()).toMatchObject({ registry_relay_partitions: "8" });
  expect(Object.keys(await values())).not.toContain("registry_outbox_oldest_age_seconds");
  expect(readCount()).toBe(1);
});
