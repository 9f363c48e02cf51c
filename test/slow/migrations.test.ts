import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { captureLog } from "#shared/observe/captured-log-fixture.ts";
import { steadyClock } from "#shared/time/clock.ts";
import { leasedTask } from "../../services/registry/mongo/leases/leased-task.ts";
import type { Migration } from "../../services/registry/mongo/migrations/migration.ts";
import {
  forgetUnknownMigrations,
  runMigrations,
  skipMigrationsOfNewDatabase,
} from "../../services/registry/mongo/migrations/run-migrations.ts";
import { eventually } from "../harness/eventually.ts";
import { openTestDatabase, type TestDatabase } from "../harness/test-database.ts";

const isOldForm = { "product.title": "old" };

const started = { publishesAutomationEvents: false, at: new Date() };

/** Converts samples of the old form, ten at a time. */
const newTitles: Migration = {
  id: "titles",
  version: 1,
  async convert({ samples }, position) {
    const found = await samples
      .find(position === null ? {} : { _id: { $gt: position } })
      .sort({ _id: 1 })
      .limit(10)
      .toArray();
    const ids = { _id: { $in: found.map(({ _id }) => _id) } };
    const { modifiedCount } = await samples.updateMany({ ...ids, ...isOldForm }, { $set: { "product.title": "new" } });
    return { changedCount: modifiedCount, next: found.length < 10 ? null : (found.at(-1)?._id ?? null) };
  },
};

function start({ collections }: TestDatabase, ...list: Migration[]) {
  const lease = leasedTask(collections.leases, "migrations");
  const { logger } = captureLog();
  return runMigrations({ collections, lease, clock: steadyClock, logger, list });
}

const product = { id: "7001", title: "old", variant: "", sku: "" };

test("converts old documents while an older replica still writes some, and finishes once that replica has stopped", async (context) => {
  const database = await openTestDatabase(context.onTestFinished);
  const { migrations, replicas, samples } = database.collections;
  const ids = Array.from({ length: 60 }, (_, index) => `smp_${String(index).padStart(2, "0")}`);
  await samples.insertMany(ids.map((_id) => ({ _id, store: "sto_1", product, createdAt: new Date() })));
  const rewritten = ids.slice(0, 20);

  let beat = 0;
  const older = { isRunning: true };
  const writeOldForm = async () => {
    const heartbeat = { beat: beat++, documentVersion: 0, ...started, sessions: [] };
    await replicas.replaceOne({ _id: "older" }, heartbeat, { upsert: true });
    await samples.updateMany({ _id: { $in: rewritten } }, { $set: { "product.title": "old" } });
  };
  await writeOldForm();
  const running = (async () => {
    while (older.isRunning) {
      await delay(200);
      await writeOldForm();
    }
    await replicas.deleteOne({ _id: "older" });
  })();
  const migrating = start(database, newTitles);
  context.onTestFinished(() => migrating.stop());
  context.onTestFinished(async () => {
    older.isRunning = false;
    await running;
  });

  // Everything that the older replica does not write again is converted, but the migration does not finish.
  const late = { _id: { $nin: rewritten }, ...isOldForm };
  await eventually(async () => expect(await samples.countDocuments(late)).toBe(0));
  const state = () => migrations.findOne({ _id: "titles" });
  await eventually(async () => expect((await state())?.changedCount).toBeGreaterThan(60));
  expect((await state())?.finishedAt).toBeNull();

  older.isRunning = false;
  await running;
  await eventually(async () => expect((await state())?.finishedAt).toEqual(expect.any(Date)));
  expect(await samples.countDocuments(isOldForm)).toBe(0);
}, 180_000);

test("repeats a pass in which an older replica, paused until then, has written the old form behind it", async (context) => {
  const database = await openTestDatabase(context.onTestFinished);
  const { migrations, replicas, samples } = database.collections;
  const ids = Array.from({ length: 30 }, (_, index) => `smp_${String(index).padStart(2, "0")}`);
  await samples.insertMany(ids.map((_id) => ({ _id, store: "sto_1", product, createdAt: new Date() })));
  let hasResumed = false;
  const aroundPause: Migration = {
    ...newTitles,
    async convert(collections, position) {
      if (!hasResumed && position !== null) {
        hasResumed = true;
        await replicas.insertOne({ _id: "older", beat: 7, documentVersion: 0, ...started, sessions: [] });
        await samples.updateOne({ _id: ids[0] ?? "" }, { $set: { "product.title": "old" } });
      }
      return newTitles.convert(collections, position);
    },
  };
  const migrating = start(database, aroundPause);
  context.onTestFinished(() => migrating.stop());
  const state = () => migrations.findOne({ _id: "titles" });
  // The first pass has ended: the next one converts what was written behind it.
  await eventually(async () => expect((await state())?.changedCount).toBe(ids.length + 1));
  expect((await state())?.finishedAt).toBeNull();
  await replicas.deleteOne({ _id: "older" });
  await eventually(async () => expect((await state())?.finishedAt).toEqual(expect.any(Date)));
  expect(await samples.countDocuments(isOldForm)).toBe(0);
});

test("another replica continues an interrupted migration after the last stored batch, and no two batches run at the same time", async (context) => {
  const database = await openTestDatabase(context.onTestFinished);
  const { collections } = database;
  const positions: (string | null)[] = [];
  let kill: (() => void) | undefined;
  let inProgress = 0;
  const countTo = (last: number): Migration => ({
    id: "test",
    version: 1,
    convert: async (_collections, position) => {
      expect(++inProgress).toBe(1);
      positions.push(position);
      await delay(20);
      inProgress--;
      const next = Number(position ?? 0) + 1;
      if (next === 5) kill?.();
      return { changedCount: 1, next: next === last ? null : String(next) };
    },
  });
  const run = () => start(database, countTo(10));
  const first = run();
  kill = () => void first.stop();
  await delay(50);
  const second = run();
  const finished = { _id: "test", finishedAt: { $ne: null } };
  await eventually(async () => expect(await collections.migrations.countDocuments(finished)).toBe(1));
  await second.stop();
  expect(positions).toEqual([null, "1", "2", "3", "4", "5", "6", "7", "8", "9"]);
  expect(await collections.migrations.findOne({ _id: "test" })).toMatchObject({
    changedCount: 10,
    position: null,
    finishedAt: expect.any(Date),
  });
}, 60_000);

test("converts what an earlier version wrote between a rollback and the next upgrade", async (context) => {
  const database = await openTestDatabase(context.onTestFinished);
  const { migrations, samples } = database.collections;
  const runUntilFinished = async () => {
    const running = start(database, newTitles);
    await eventually(async () =>
      expect((await migrations.findOne({ _id: "titles" }))?.finishedAt).toEqual(expect.any(Date)),
    );
    await running.stop();
  };
  await runUntilFinished();
  // The earlier version does not know the migration.
  await forgetUnknownMigrations(database.collections, []);
  await samples.insertOne({ _id: "smp_1", store: "sto_1", product, createdAt: new Date() });
  await runUntilFinished();
  expect(await samples.countDocuments(isOldForm)).toBe(0);
});

test("has nothing to do in a new database", async (context) => {
  const database = await openTestDatabase(context.onTestFinished);
  await skipMigrationsOfNewDatabase(database.collections, [newTitles]);
  const found = await database.collections.migrations.findOne({ _id: "titles" });
  expect(found?.finishedAt).toEqual(expect.any(Date));
});

test("migrates a database that has documents but no certificates, or that an earlier replica is about to use", async (context) => {
  const database = await openTestDatabase(context.onTestFinished);
  const { collections } = database;
  const skip = () => skipMigrationsOfNewDatabase(collections, [newTitles]);
  await collections.replicas.insertOne({ _id: "older", beat: 1, documentVersion: 0, ...started, sessions: [] });
  await skip();
  expect(await collections.migrations.countDocuments()).toBe(0);
  await collections.replicas.deleteMany({});
  await database.db.collection<{ _id: string }>("stores").insertOne({ _id: "sto_1" });
  await skip();
  expect(await collections.migrations.countDocuments()).toBe(0);
});
