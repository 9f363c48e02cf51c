import { expect, test } from "vitest";
import { LeaseKeeper } from "../../services/registry/leases/lease-keeper.ts";
import { taskLeaseMs } from "../../services/registry/leases/leased-queue.ts";
import { leasedTask } from "../../services/registry/mongo/leases/leased-task.ts";
import { leaseSlackMs } from "../../services/registry/mongo/leases/mongo-leases.ts";
import { openTestDatabase } from "../harness/test-database.ts";

const database = await openTestDatabase();

const dayMs = 86_400_000;
const startMs = Date.parse("2026-05-01T12:00:00.000Z");

/** Creates two holders that compete for a lease under a simulated database clock. */
function competitors(name: string) {
  const time = { ms: startMs };
  const now = () => new Date(time.ms);
  const open = () => {
    let attempts = 0;
    // Each renewal is due: a lease's life passes on this clock between two attempts.
    const clock = { now: () => attempts * taskLeaseMs, sleep: async () => undefined };
    const keeper = new LeaseKeeper(leasedTask(database.collections.leases, name, now), clock);
    return {
      acquire: () => {
        attempts++;
        return keeper.keep();
      },
    };
  };
  return { time, holder: open(), other: open() };
}

test("keeps renewing a lease after the database's clock is set back, although another replica tries to acquire it", async () => {
  const { time, holder, other } = competitors("renewed");
  time.ms = startMs + dayMs;
  await holder.acquire();
  for (let afterMs = 0; afterMs < 3 * taskLeaseMs; afterMs += taskLeaseMs / 2) {
    time.ms = startMs + afterMs;
    expect(await other.acquire()).toBe(false);
    expect(await holder.acquire()).toBe(true);
  }
});

test("does not shorten a renewed lease when an attempt that began before the renewal finishes later", async () => {
  const { time, holder, other } = competitors("late");
  time.ms = startMs + leaseSlackMs;
  await holder.acquire();
  time.ms = startMs;
  expect(await other.acquire()).toBe(false);
  time.ms = startMs + leaseSlackMs + taskLeaseMs - 1;
  expect(await other.acquire()).toBe(false);
});
