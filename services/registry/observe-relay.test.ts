import { setTimeout as delay } from "node:timers/promises";
import { Registry } from "prom-client";
import { expect, test } from "vitest";
import { observeRelay } from "./observe-relay.ts";
import type { RelayLoad } from "./outbox/store-windows.ts";

const now = 1_000_000;

function pipeline(load: RelayLoad | undefined, oldestAt: () => Promise<Date | undefined>) {
  const metrics = new Registry();
  let reads = 0;
  observeRelay({
    load: () => load,
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
    const lines = (await metrics.metrics())
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"));
    return Object.fromEntries(lines.map((line) => line.split(" ")));
  };
  return { values, readCount: () => reads };
}

const load = { inFlightCount: 3, waitingStoreCount: 2 };

test("the replica that carries events tells how many are out, which stores wait, and how long the oldest does", async () => {
  const { values } = pipeline(load, async () => new Date(now - 2_500));
  expect(await values()).toEqual({
    registry_relay_leading: "1",
    registry_relay_events_out: "3",
    registry_relay_stores_waiting: "2",
    registry_outbox_oldest_age_seconds: "2.5",
  });
});

test.each([
  ["nothing is unsettled", undefined],
  ["the store's clock is ahead of this machine's", new Date(now + 5)],
])("the age is 0 when %s", async (_when, oldest) => {
  const { values } = pipeline(load, async () => oldest);
  expect(await values()).toMatchObject({ registry_outbox_oldest_age_seconds: "0" });
});

test("a replica that carries none says so, asks nothing, and tells no age", async () => {
  const { values, readCount } = pipeline(undefined, async () => new Date(now));
  expect(await values()).toEqual({
    registry_relay_leading: "0",
    registry_relay_events_out: "0",
    registry_relay_stores_waiting: "0",
  });
  expect(readCount()).toBe(0);
});

test("no age is told while the outbox cannot be read, not even an earlier one", async () => {
  let isAway = false;
  const { values } = pipeline(load, async () => {
    if (isAway) throw new Error("away");
    return new Date(now - 1_000);
  });
  expect(await values()).toMatchObject({ registry_outbox_oldest_age_seconds: "1" });
  isAway = true;
  expect(Object.keys(await values())).not.toContain("registry_outbox_oldest_age_seconds");
});

test("scrapes at the same time share one read", async () => {
  const { values, readCount } = pipeline(load, async () => new Date(now));
  await Promise.all([values(), values(), values()]);
  expect(readCount()).toBe(1);
});

test("a database that hangs holds no scrape up, and is not asked a second time meanwhile", async () => {
  const { values, readCount } = pipeline(load, () => new Promise(() => undefined));
  expect(await values()).toMatchObject({ registry_relay_leading: "1" });
  expect(Object.keys(await values())).not.toContain("registry_outbox_oldest_age_seconds");
  expect(readCount()).toBe(1);
});
