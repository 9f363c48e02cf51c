import { setTimeout as delay } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { inStore } from "#shared/rpc/scope-metadata.ts";
import { steadyClock } from "#shared/time/clock.ts";
import { rendererVersion } from "../../services/registry/certificates/public-json.ts";
import { leasedTask } from "../../services/registry/mongo/leases/leased-task.ts";
import type { Migration } from "../../services/registry/mongo/migrations/migration.ts";
import { runMigrations } from "../../services/registry/mongo/migrations/run-migrations.ts";
import { captureLog } from "../harness/captured-log.ts";
import { eventually } from "../harness/eventually.ts";
import { issueItem } from "../harness/issue-items.ts";
import { listAll } from "../harness/public-certificate.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";
import { openTestDatabase, type TestDatabase } from "../harness/test-database.ts";
import { createTestStore } from "../harness/test-stores.ts";

const id = "2026-11-22-certificate-json";
const wordsId = "2026-11-28-search-words";
const unfinished = { position: null, isLastPass: false, changedCount: 0, finishedAt: null };

/**
 * Removes the stored JSON of certificates, or replaces it by that of another renderer, as if a replica of another
 * release had written them.
 */
async function writeOldForm({ collections }: TestDatabase, storeId: string, serials: object = { $gt: 0 }) {
  const half = (remainder: number): [number, number] => [2, remainder];
  const chosen = (remainder: number) => ({ store: storeId, serial: { ...serials, $mod: half(remainder) } });
  await collections.certificates.updateMany(chosen(0), { $unset: { json: "" } });
  await collections.certificates.updateMany(chosen(1), { $set: { "json.0": 0 } });
}

const isOldForm = { "json.0": { $ne: rendererVersion } };

const countOldForm = ({ collections }: TestDatabase) => collections.certificates.countDocuments(isOldForm);

const stateOf = ({ collections }: TestDatabase) => collections.migrations.findOne({ _id: id });

test("converts old documents while an older replica still writes some, and finishes once that replica has stopped", async (context) => {
  const database = await openTestDatabase();
  afterAll(() => database.close());
  const first = await openTestRegistry({ database }, context.onTestFinished);
  expect((await stateOf(database))?.finishedAt).toEqual(expect.any(Date));
  const storeId = await createTestStore(first);
  const items = Array.from({ length: 60 }, () => issueItem());
  await first.issuing.issueCertificates({ items }, inStore(storeId));
  const before = await listAll(first, storeId);

  let beat = 0;
  const older = { isRunning: true };
  const running = (async () => {
    while (older.isRunning) {
      const heartbeat = { beat: beat++, documentVersion: 0, sessions: [] };
      await database.collections.replicas.replaceOne({ _id: "older" }, heartbeat, { upsert: true });
      await writeOldForm(database, storeId, { $lte: 20 });
      await delay(200);
    }
    await database.collections.replicas.deleteOne({ _id: "older" });
  })();
  context.onTestFinished(async () => {
    older.isRunning = false;
    await running;
  });
  await writeOldForm(database, storeId);
  await database.collections.migrations.updateOne({ _id: id }, { $set: unfinished });
  await openTestRegistry({ database }, context.onTestFinished);

  // The new replica converts everything that the older replica does not write again, but does not finish.
  const lateCount = { serial: { $gt: 20 }, "json.0": { $ne: rendererVersion } };
  const within = { withinMs: 60_000 };
  await eventually(
    async () => expect(await database.collections.certificates.countDocuments(lateCount)).toBe(0),
    within,
  );
  await eventually(async () => expect((await stateOf(database))?.changedCount).toBeGreaterThanOrEqual(60), within);
  expect((await stateOf(database))?.finishedAt).toBeNull();
  expect(await listAll(first, storeId)).toEqual(before);

  older.isRunning = false;
  await running;
  await eventually(async () => expect((await stateOf(database))?.finishedAt).toEqual(expect.any(Date)), within);
  expect(await countOldForm(database)).toBe(0);
  expect(await listAll(first, storeId)).toEqual(before);
}, 180_000);

test("another replica continues an interrupted migration after the last stored batch, and no two batches run at the same time", async (context) => {
  const database = await openTestDatabase();
  context.onTestFinished(() => database.close());
  const { logger } = captureLog();
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
  const run = () => {
    const lease = leasedTask(collections.leases, "migrations");
    const running = runMigrations({ collections, lease, clock: steadyClock, logger, list: [countTo(10)] });
    running.loop.start();
    return running;
  };
  const first = run();
  kill = () => void first.stop();
  await delay(50);
  const second = run();
  const finished = { _id: "test", finishedAt: { $ne: null } };
  await eventually(async () => expect(await collections.migrations.countDocuments(finished)).toBe(1), {
    withinMs: 60_000,
  });
  await second.stop();
  expect(positions).toEqual([null, "1", "2", "3", "4", "5", "6", "7", "8", "9"]);
  expect(await collections.migrations.findOne({ _id: "test" })).toMatchObject({
    changedCount: 10,
    position: null,
    finishedAt: expect.any(Date),
  });
}, 60_000);

test("keeps the latest state of a certificate that changes while it is converted", async (context) => {
  const registry = await openTestRegistry({}, context.onTestFinished);
  const { database } = registry;
  const storeId = await createTestStore(registry);
  await registry.issuing.issueCertificates({ items: Array.from({ length: 40 }, () => issueItem()) }, inStore(storeId));
  await writeOldForm(database, storeId);
  await database.collections.migrations.updateOne({ _id: id }, { $set: unfinished });
  const transferAll = async () => {
    for (const { id: certificateId } of await listAll(registry, storeId))
      await registry.lifecycle.transferCertificate(
        {
          certificateId,
          newOwnerName: "Cy",
          newOwnerEmail: "cy@example.test",
        },
        inStore(storeId),
      );
  };
  const replica = openTestRegistry({ database }, context.onTestFinished);
  await Promise.all([replica, transferAll()]);
  await eventually(async () => expect((await stateOf(database))?.finishedAt).toEqual(expect.any(Date)), {
    withinMs: 60_000,
  });
  const listed = await listAll(registry, storeId);
  expect(listed.map(({ owner }) => owner.name)).toEqual(Array(40).fill("Cy"));
  // The stored JSON is that of the latest state.
  for (const { id: _id, updatedAt } of listed) {
    const found = await database.collections.certificates.findOne({ _id });
    expect(found?.json?.[4]).toContain(`"updatedAt":"${updatedAt}"`);
  }
}, 120_000);

test("stores the words of certificates that have none, or those of a former owner", async (context) => {
  const database = await openTestDatabase();
  context.onTestFinished(() => database.close());
  const registry = await openTestRegistry({ database }, context.onTestFinished);
  const storeId = await createTestStore(registry);
  await registry.issuing.issueCertificates({ items: Array.from({ length: 30 }, () => issueItem()) }, inStore(storeId));
  const { certificates, migrations } = database.collections;
  const before = await certificates.find().sort({ serial: 1 }).toArray();
  await certificates.updateMany({ serial: { $lte: 10 } }, { $unset: { words: "" } });
  await certificates.updateMany({ serial: { $gt: 10, $lte: 15 } }, { $set: { words: ["former", "owner"] } });
  await migrations.updateOne({ _id: wordsId }, { $set: unfinished });
  await openTestRegistry({ database }, context.onTestFinished);
  const isFinished = { _id: wordsId, finishedAt: { $ne: null }, changedCount: 15 };
  await eventually(async () => expect(await migrations.countDocuments(isFinished)).toBe(1), { withinMs: 60_000 });
  // `updatedAt` is unchanged, so the migration is invisible in the list.
  expect(await certificates.find().sort({ serial: 1 }).toArray()).toEqual(before);
  const { certificates: found } = await registry.inspection.findCertificates(
    { search: "ada jacket" },
    inStore(storeId),
  );
  expect(found).toHaveLength(30);
}, 120_000);
