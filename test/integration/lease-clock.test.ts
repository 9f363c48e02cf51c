import { afterAll, expect, test } from "vitest";
import { leaseTtlMs } from "../../services/registry/leases/lease.ts";
import { acquireTimeLimitMs } from "../../services/registry/mongo/leases/lease-times.ts";
import { MongoLease } from "../../services/registry/mongo/leases/mongo-lease.ts";
import { openTestDatabase } from "../harness/test-database.ts";

const database = await openTestDatabase();
afterAll(() => database.close());

const dayMs = 86_400_000;
const startMs = Date.parse("2026-05-01T12:00:00.000Z");

/** Creates two holders that compete for a lease under a simulated database clock. */
function competitors(name: string) {
  const time = { ms: startMs };
  const now = () => new Date(time.ms);
  const open = (holder: string) => new MongoLease(database.collections.leases, name, holder, now);
  return { time, holder: open("holder"), other: open("other") };
}

test("ends a lease within seconds of the database's clock being set back by a day", async () => {
  const { time, holder, other } = competitors("set-back");
  time.ms = startMs + dayMs;
  expect(await holder.acquire()).toBe(true);
  time.ms = startMs;
  // The holder may still be running and consider its lease valid.
  const lastMs = leaseTtlMs + acquireTimeLimitMs;
  for (const afterMs of [0, leaseTtlMs, lastMs]) {
    time.ms = startMs + afterMs;
    expect(await other.acquire()).toBe(false);
  }
  time.ms = startMs + lastMs + 1;
  expect(await other.acquire()).toBe(true);
  expect(await holder.acquire()).toBe(false);
});

test("keeps renewing a lease after the database's clock is set back, although another replica tries to acquire it", async () => {
  const { time, holder, other } = competitors("renewed");
  time.ms = startMs + dayMs;
  await holder.acquire();
  for (let afterMs = 0; afterMs < 3 * leaseTtlMs; afterMs += leaseTtlMs / 2) {
    time.ms = startMs + afterMs;
    expect(await other.acquire()).toBe(false);
    expect(await holder.acquire()).toBe(true);
  }
});

test("does not shorten a renewed lease when an attempt that began before the renewal finishes later", async () => {
  const { time, holder, other } = competitors("late");
  time.ms = startMs + acquireTimeLimitMs;
  await holder.acquire();
  time.ms = startMs;
  expect(await other.acquire()).toBe(false);
  time.ms = startMs + acquireTimeLimitMs + leaseTtlMs;
  expect(await other.acquire()).toBe(false);
});
