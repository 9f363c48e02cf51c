import { randomUUID } from "node:crypto";
import { beforeEach, expect, test } from "vitest";
import { limited } from "../../services/registry/mongo/driver/time-limits.ts";
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

/** Claims documents with one command, each only if it is due at the given time. @returns the claims of those it got */
async function claimEach(dueMs: Readonly<Record<string, number>>, by = queue) {
  const token = randomUUID();
  const set = { attempts: { $add: [{ $ifNull: ["$attempts", 0] }, 1] } };
  const claims = Object.entries(dueMs).map(([id, ms]) => ({ id, token, set, condition: { dueAt: at(ms) } }));
  return Array.from(await by.claimEach(claims, limited));
}

const idsOf = (claims: readonly { readonly id: string }[]) => claims.map(({ id }) => id);

test("of several documents, one command claims those that are not leased and as they were read", async () => {
  const ids = ["changed", "expired", "free", "leased"];
  await leases.insertMany(ids.map((_id) => ({ _id, dueAt: at(0) })));
  expect(idsOf(await claimEach({ expired: 0, missing: 0 }))).toEqual(["expired"]);
  time.ms = lifeMs;
  expect(idsOf(await claimEach({ leased: 0 }))).toEqual(["leased"]);
  await leases.updateOne({ _id: "changed" }, { $set: { dueAt: at(1) } });
  const claimed = await claimEach({ changed: 0, expired: lifeMs, free: 0, leased: 2 * lifeMs }, other);
  expect(idsOf(claimed)).toEqual(["expired", "free"]);
  expect(Array.from((await queue.held(claimed, limited)).values())).toMatchObject([
    { dueAt: at(2 * lifeMs), attempts: 2, lease: { since: startMs, abandoned: 1 } },
    { dueAt: at(2 * lifeMs), attempts: 1, lease: { since: startMs, abandoned: 0 } },
  ]);
});

test("of many concurrent claims of the same documents, one gets each document", async () => {
  const ids = Array.from({ length: 10 }, (_, index) => `work ${index}`);
  await leases.insertMany(ids.map((_id) => ({ _id, dueAt: at(0) })));
  const dueMs = Object.fromEntries(ids.map((id) => [id, 0]));
  const claims = await Promise.all(
    Array.from({ length: 10 }, (_, index) => claimEach(dueMs, [queue, other][index % 2])),
  );
  expect(idsOf(claims.flat()).toSorted()).toEqual(ids);
});

test("of the leases that one command ends, it ends none of a document that was claimed since, or that does not meet its condition", async () => {
  await leases.insertMany(["one", "other", "third"].map((_id) => ({ _id, dueAt: at(0) })));
  const paused = await claimEach({ one: 0, other: 0, third: 0 });
  time.ms = lifeMs;
  const taken = await claimEach({ other: lifeMs }, other);
  const ends = paused.map(({ id, token }) => ({ id, token, set: { dueAt: "$$REMOVE" }, condition: { attempts: 1 } }));
  await leases.updateOne({ _id: "third" }, [{ $set: { attempts: 3 } }]);
  expect(await queue.endEach(ends)).toBe(1);
  expect(idsOf(Array.from((await queue.held([...paused, ...taken], limited)).keys()))).toEqual(["third", "other"]);
  expect(await leases.findOne({ _id: "one" })).toEqual({ _id: "one", attempts: 1 });
});

test("after the database's clock is set back, leases are moved to the latest possible time only among the given documents", async () => {
  await leases.insertMany(["one", "other"].map((_id) => ({ _id, dueAt: at(0) })));
  await claimEach({ one: 0, other: 0 });
  time.ms = -86_400_000;
  await queue.clamp({ _id: "one" });
  expect(await dueAtOf("one")).toBe(startMs + time.ms + lifeMs + leaseSlackMs);
  expect(await dueAtOf("other")).toBe(startMs + lifeMs);
});
