import { beforeEach, expect, test } from "vitest";
import { taskLeaseMs } from "../../services/registry/leases/leased-queue.ts";
import { TaskShare } from "../../services/registry/leases/task-share.ts";
import { leaseSlackMs } from "../../services/registry/mongo/leases/mongo-leases.ts";
import { sharedTasks } from "../../services/registry/mongo/leases/shared-tasks.ts";
import { openTestDatabase } from "../harness/test-database.ts";

const database = await openTestDatabase();
const { leases } = database.collections;

const startMs = Date.parse("2026-11-27T12:00:00.000Z");
const count = 4;
// The database's clock.
const time = { ms: 0 };
const open = () => sharedTasks(leases, "work", count, () => new Date(startMs + time.ms));
// Two replicas; all that they share is the database.
const [tasks, other] = [open(), open()];

beforeEach(async () => {
  time.ms = 0;
  // Stores the tasks.
  await tasks.claimSeat();
  await leases.updateMany({}, [{ $set: { dueAt: new Date(0) } }, { $unset: "lease" }]);
});

async function claimTask(number: number, by = tasks) {
  const claim = await by.claimTask(number);
  if (claim === undefined) throw new Error(`task ${number} is not free`);
  return claim;
}

test("each task and each seat has one holder, and both are counted", async () => {
  const claims = [];
  for (let task = 0; task < count; task++) claims.push(await claimTask(task, task % 2 === 0 ? tasks : other));
  expect(claims.map(({ number }) => number)).toEqual([0, 1, 2, 3]);
  expect([await tasks.claimTask(1), await other.claimTask(1)]).toEqual([undefined, undefined]);
  const seat = await other.claimSeat();
  expect(await tasks.leased()).toEqual({ seats: [seat?.number], tasks: [0, 1, 2, 3] });
});

test("one renewal keeps several leases, also expired ones, but not those that another replica has claimed", async () => {
  const [kept, lost] = [await claimTask(0), await claimTask(1)];
  time.ms = taskLeaseMs - 1;
  expect(await tasks.renew([kept, lost])).toEqual(new Set([kept, lost]));
  time.ms += taskLeaseMs;
  expect(await tasks.leased()).toEqual({ seats: [], tasks: [] });
  await claimTask(1, other);
  expect(await tasks.renew([kept, lost])).toEqual(new Set([kept]));
  expect(await tasks.leased()).toEqual({ seats: [], tasks: [0, 1] });
});

test("releasing several tasks leaves those alone that another replica has claimed since", async () => {
  const [first, second] = [await claimTask(0), await claimTask(1)];
  time.ms = taskLeaseMs - 1;
  await tasks.renew([first]);
  time.ms++;
  await claimTask(1, other);
  await tasks.release([first, second]);
  expect(await tasks.leased()).toEqual({ seats: [], tasks: [1] });
});

test("after the database's clock is set back by a day, the tasks of a killed replica are free within seconds", async () => {
  time.ms = 86_400_000;
  for (let task = 0; task < count; task++) await claimTask(task);
  await tasks.claimSeat();
  time.ms = 0;
  // The leases end later than any new one, so a replica tries to claim their tasks, which clamps them.
  expect(await other.leased()).toEqual({ seats: [], tasks: [] });
  const clock = { now: () => time.ms, sleep: async () => undefined };
  const share = new TaskShare(other, clock);
  for (; time.ms < taskLeaseMs + leaseSlackMs; time.ms += 500) {
    await share.keep();
    expect(share.tasks.size).toBe(0);
  }
  await share.keep();
  time.ms += 1_000;
  await share.keep();
  expect(share.tasks.size).toBe(count);
});

test("replicas that start together store the tasks once and divide them", async () => {
  await leases.deleteMany({});
  const clock = { now: () => time.ms, sleep: async () => undefined };
  const shares = [open(), open()].map((replica) => new TaskShare(replica, clock));
  for (let step = 0; step < 4; step++) {
    await Promise.all(shares.map((share) => share.keep()));
    await Promise.all(shares.map((share) => share.release(share.surplus)));
    time.ms += 1_000;
  }
  expect(shares.map((share) => share.tasks.size)).toEqual([2, 2]);
  expect(await leases.countDocuments()).toBe(2 * count);
});
