import { pino } from "pino";
import { expect, onTestFinished, test, vi } from "vitest";
import { systemClock } from "#shared/time/clock.ts";
import { ManualClock } from "#shared/time/manual-clock-fixture.ts";
import { MongoWorkQueue } from "../../services/registry/mongo/storefront/mongo-work-queue.ts";
import { createStorefrontWorker } from "../../services/registry/storefront/storefront-worker.ts";
import { eventually } from "../harness/eventually.ts";
import { openTestDatabase } from "../harness/test-database.ts";
import { createRegistry } from "../simulation/simulated-registry.ts";

const database = await openTestDatabase();
const { collections } = database;
const { storefronts } = collections;

test("an idle replica asks the database for storefront work twice a second, with one command; then it works for several stores", async () => {
  const steadyClock = new ManualClock();
  const registries = Array.from({ length: 3 }, () =>
    createRegistry(database, { clock: systemClock, databaseClock: systemClock }),
  );
  const replicas = registries.map((registry) => {
    const work = new MongoWorkQueue(collections, systemClock);
    return createStorefrontWorker({
      ...registry,
      work,
      clock: systemClock,
      steadyClock,
      logger: pino({ level: "silent" }),
      recordErasure: async () => undefined,
      onReconciled: () => undefined,
      onFailed: () => undefined,
    });
  });
  onTestFinished(async () => void (await Promise.all(replicas.map((one) => one.stop()))));
  const commands = [
    vi.spyOn(storefronts, "findOne"),
    vi.spyOn(storefronts, "findOneAndUpdate"),
    vi.spyOn(storefronts, "updateOne"),
    vi.spyOn(storefronts, "bulkWrite"),
  ];
  onTestFinished(() => void vi.restoreAllMocks());
  const count = () => commands.reduce((sum, { mock }) => sum + mock.calls.length, 0);
  for (const replica of replicas) replica.start();
  const idle = (commandCount: number) =>
    eventually(async () => expect([count(), steadyClock.sleepCount]).toEqual([commandCount, 3]));
  // Each looks once for work that is left.
  await idle(3);
  for (let second = 1; second <= 3; second += 1) {
    for (const half of [1, 2]) {
      await steadyClock.advance(500);
      await idle(3 + 6 * (second - 1) + 3 * half);
    }
  }
  // One replica remains. While the work for its first store lasts, it works for others, and the claim is kept.
  await Promise.all(replicas.slice(1).map((one) => one.stop()));
  const slow = Promise.withResolvers<void>();
  onTestFinished(() => slow.resolve());
  for (const { storefronts: settings } of registries) {
    const { find } = settings;
    vi.spyOn(settings, "find").mockImplementation(async (storeId) => {
      if (storeId === "sto_slow") await slow.promise;
      return find.call(settings, storeId);
    });
  }
  await storefronts.insertOne({ _id: "sto_slow", dueAt: new Date() });
  const leaseEnd = async () => (await storefronts.findOne({ _id: "sto_slow" }))?.lease?.until;
  await steadyClock.advance(500);
  const claimedUntil = await eventually(async () => {
    const until = await leaseEnd();
    if (until === undefined) throw new Error("the store is not claimed");
    return until;
  });
  const stores = Array.from({ length: 10 }, (_, index) => ({ _id: `sto_${index}`, dueAt: new Date() }));
  await storefronts.insertMany(stores);
  const isDue = { _id: { $ne: "sto_slow" }, dueAt: { $exists: true } };
  const laterOn = async () => {
    await steadyClock.advance(500);
    expect(await storefronts.countDocuments(isDue)).toBe(0);
    expect(await leaseEnd()).toBeGreaterThan(claimedUntil);
  };
  await eventually(laterOn);
  slow.resolve();
  await eventually(async () => expect(await storefronts.countDocuments({ dueAt: { $exists: true } })).toBe(0));
});
