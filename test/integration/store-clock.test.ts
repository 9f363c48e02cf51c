import { expect, test } from "vitest";
import { newLinkToken } from "../../services/registry/values/identifiers.ts";
import { createTestLedger } from "../harness/ledger-fixture.ts";
import { sharedRegistry } from "../harness/registry-fixture.ts";
import { createTestStore } from "../harness/test-stores.ts";

const registry = await sharedRegistry();
const { database } = registry;

const fiveMinutesMs = 5 * 60_000;
const startedAt = new Date("2026-05-01T12:00:00.000Z").getTime();

/** Starts a simulated database clock that can be set back. */
function runningClock() {
  const origin = performance.now();
  let offsetMs = 0;
  const now = () => new Date(Math.floor(startedAt + performance.now() - origin + offsetMs));
  return { now, setBack: (byMs: number) => (offsetMs -= byMs) };
}

/** Returns the update times of a store's certificates, ordered by serial number, which is the commit order. */
async function timesInCommitOrder(storeId: string): Promise<number[]> {
  const documents = await database.collections.certificates.find({ store: storeId }).sort({ serial: 1 }).toArray();
  return documents.map(({ updatedAt }) => updatedAt.getTime());
}

function expectStrictlyIncreasing(times: readonly number[]): void {
  times.forEach((time, index) => {
    expect(time).toBeGreaterThan(times[index - 1] ?? Number.NEGATIVE_INFINITY);
  });
}

test("assigns the database's current time to a change in an idle store", async () => {
  const storeId = await createTestStore(registry);
  const ledger = createTestLedger(database);
  for (let change = 0; change < 3; change++) {
    const before = await database.now();
    await ledger.issue(storeId);
    const after = await database.now();
    const time = (await timesInCommitOrder(storeId)).at(-1) ?? 0;
    expect(time).toBeGreaterThanOrEqual(before.getTime());
    expect(time).toBeLessThanOrEqual(after.getTime());
  }
});

test("assigns unique, increasing times without waiting when the database's clock jumps back by five minutes", async () => {
  const storeId = await createTestStore(registry);
  const clock = runningClock();
  const ledger = createTestLedger(database, { databaseTime: clock.now });
  await ledger.issue(storeId, 3);
  const beginAt = performance.now();
  clock.setBack(fiveMinutesMs);
  await ledger.issue(storeId, 20);
  for (let change = 0; change < 10; change++) await ledger.issue(storeId);
  clock.setBack(fiveMinutesMs);
  await Promise.all(Array.from({ length: 10 }, () => ledger.issue(storeId)));

  expect(performance.now() - beginAt).toBeLessThan(60_000);
  const times = await timesInCommitOrder(storeId);
  expect(times).toHaveLength(43);
  expectStrictlyIncreasing(times);
  // The store clock advanced by exactly one millisecond per certificate.
  expect((times.at(-1) ?? 0) - (times[2] ?? 0)).toBe(40);
});

test("follows the database's clock again once that clock has caught up with the store clock", async () => {
  const storeId = await createTestStore(registry);
  const clock = runningClock();
  const ledger = createTestLedger(database, { databaseTime: clock.now });
  await ledger.issue(storeId);
  clock.setBack(fiveMinutesMs);
  await ledger.issue(storeId);
  clock.setBack(-2 * fiveMinutesMs);
  await ledger.issue(storeId);
  const times = await timesInCommitOrder(storeId);
  expectStrictlyIncreasing(times);
  expect((times[2] ?? 0) - startedAt).toBeGreaterThanOrEqual(fiveMinutesMs);
});

test("assigns increasing times when two registries see different database clocks", async () => {
  const storeId = await createTestStore(registry);
  const clock = runningClock();
  const ahead = createTestLedger(database, {
    databaseTime: () => new Date(clock.now().getTime() + fiveMinutesMs),
  });
  const behind = createTestLedger(database, { databaseTime: clock.now });
  for (let change = 0; change < 6; change++) await (change % 2 === 0 ? ahead : behind).issue(storeId);
  const times = await timesInCommitOrder(storeId);
  expect(times).toHaveLength(6);
  expectStrictlyIncreasing(times);
});

test("assigns consecutive milliseconds, ending at the current time, to a batch in an idle store", async () => {
  const storeId = await createTestStore(registry);
  const now = new Date(startedAt);
  const ledger = createTestLedger(database, { databaseTime: () => now });
  await ledger.issue(storeId, 500);
  const times = await timesInCommitOrder(storeId);
  expect(times).toEqual(Array.from({ length: 500 }, (_, index) => startedAt - 499 + index));
});

test("enforces unique times per store with a database index", async () => {
  const storeId = await createTestStore(registry);
  await createTestLedger(database).issue(storeId);
  const document = await database.collections.certificates.findOne({ store: storeId });
  if (document === null) throw new Error("the store has no certificate");
  const { certificates } = database.collections;
  const copy = { ...document, linkToken: newLinkToken() };
  await expect(certificates.insertOne({ ...copy, _id: "crt_other", serial: 2 })).rejects.toThrow("E11000");
  await certificates.insertOne({ ...copy, _id: "crt_another", store: "sto_other" });
});
