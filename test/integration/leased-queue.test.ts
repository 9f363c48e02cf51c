import { beforeEach, expect, test } from "vitest";
import { leaseSlackMs, MongoLeases } from "../../services/registry/mongo/leases/mongo-leases.ts";
import { openTestDatabase } from "../harness/test-database.ts";

const database = await openTestDatabase();
const { leases } = database.collections;

const startMs = Date.parse("2026-11-26T12:00:00.000Z");
const lifeMs = 30_000;
const time = { ms: 0 };
const at = (ms: number) => new Date(startMs + ms);
const open = () => new MongoLeases(leases, lifeMs, () => at(time.ms));
// Two replicas; all that they share is the database.
const [queue, other] = [open(), open()];
const due = () => ({ dueAt: { $lte: at(time.ms) } });
const dueAtOf = async (_id: string) => (await leases.findOne({ _id }))?.dueAt?.getTime();

beforeEach(async () => {
  time.ms = 0;
  await leases.deleteMany({});
});

/** Claims the work that has waited longest. */
async function claim(by = queue) {
  const claimed = await by.claim(due());
  if (claimed === undefined) throw new Error("no work is due");
  return claimed;
}

test("work is claimed in the order in which it became due, by one worker at a time", async () => {
  await leases.insertMany([
    { _id: "second", dueAt: at(-1) },
    { _id: "first", dueAt: at(-2) },
    { _id: "later", dueAt: at(1) },
    { _id: "done" },
  ]);
  expect([(await claim()).id, (await claim(other)).id]).toEqual(["first", "second"]);
  expect(await queue.claim(due())).toBeUndefined();
});

test("of many concurrent claims of the same work, one succeeds", async () => {
  await leases.insertOne({ _id: "one", dueAt: at(0) });
  const claims = await Promise.all(Array.from({ length: 20 }, (_, index) => [queue, other][index % 2]?.claim(due())));
  expect(claims.filter((one) => one !== undefined)).toHaveLength(1);
});

test("a worker that is paused until its lease has expired can neither renew, complete, postpone nor release work that another has claimed", async () => {
  await leases.insertOne({ _id: "one", dueAt: at(0) });
  const paused = await claim();
  time.ms = lifeMs;
  const taken = await claim(other);
  const before = await leases.findOne({ _id: "one" });
  const attempts = [queue.renew(paused), queue.complete(paused), queue.postpone(paused, 1), queue.release(paused)];
  expect(await Promise.all(attempts)).toEqual([false, false, false, false]);
  expect(await leases.findOne({ _id: "one" })).toEqual(before);
  expect(await other.complete(taken)).toBe(true);
  expect(await leases.findOne({ _id: "one" })).toEqual({ _id: "one" });
});

test("abandoned work is due since its lease expired; released work is due as before, postponed work by the database's time", async () => {
  await leases.insertMany([
    { _id: "abandoned", dueAt: at(-3) },
    { _id: "released", dueAt: at(-2) },
    { _id: "postponed", dueAt: at(-1) },
  ]);
  await claim();
  await queue.release(await claim());
  const released = await claim();
  const postponed = await claim();
  time.ms = 10;
  expect([await queue.release(released), await queue.postpone(postponed, 500)]).toEqual([true, true]);
  const times = await Promise.all(["abandoned", "released", "postponed"].map(dueAtOf));
  expect(times).toEqual([startMs + lifeMs, startMs - 2, startMs + 510]);
});

test("work that is made due during a lease stays due, but is not claimed before the lease ends", async () => {
  await leases.insertOne({ _id: "one", dueAt: at(0) });
  const held = await claim();
  time.ms = 5;
  await leases.updateOne({ _id: "one" }, { $min: { dueAt: at(time.ms) } });
  time.ms = 10;
  expect(await other.claim(due())).toBeUndefined();
  expect(await queue.renew(held)).toBe(true);
  expect(await dueAtOf("one")).toBe(startMs + 5);
});

test("after the database's clock is set back, a lease ends within one lease, and its holder can still complete the work", async () => {
  await leases.insertMany([
    { _id: "abandoned", dueAt: at(0) },
    { _id: "held", dueAt: at(1) },
  ]);
  time.ms = 86_400_000;
  await claim();
  const held = await claim();
  time.ms = 0;
  expect(await other.claim(due())).toBeUndefined();
  expect(await queue.complete(held)).toBe(true);
  time.ms = lifeMs + leaseSlackMs - 1;
  expect(await other.claim(due())).toBeUndefined();
  time.ms = lifeMs + leaseSlackMs;
  expect((await claim(other)).id).toBe("abandoned");
});
