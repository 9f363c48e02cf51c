import { describe, expect, onTestFinished, test } from "vitest";
import { allPartitions } from "#shared/nats/event-stream.ts";
import { snapshotReader } from "../../services/registry/mongo/driver/read-snapshot.ts";
import type { OutboxMarkDeps } from "../../services/registry/mongo/outbox/outbox-mark.ts";
import type { OutboxEntry } from "../../services/registry/outbox/outbox.ts";
import { openTestOutbox, outboxDocument } from "../harness/outbox-fixture.ts";
import { OutboxModel } from "../harness/outbox-model.ts";
import { openTestDatabase, type TestDatabase } from "../harness/test-database.ts";

const lifetimeSeconds = 15;
const start = Date.parse("2026-01-01T00:00:00Z");

async function openDatabase(): Promise<TestDatabase> {
  const database = await openTestDatabase(onTestFinished);
  // Not every server allows a transaction to create a collection.
  await database.db.createCollection("outbox");
  return database;
}

const idsOf = (entries: readonly OutboxEntry[]) => entries.map(({ eventId }) => eventId);

describe("the outbox's low-water mark", () => {
  /** Creates an outbox whose database clock the test sets. */
  async function openOutbox() {
    const database = await openDatabase();
    const clock = { now: start };
    const databaseTime = () => new Date(clock.now);
    const open = (deps: Partial<OutboxMarkDeps> = {}) =>
      openTestOutbox(database, { databaseTime, transactionLifetimeSeconds: lifetimeSeconds, ...deps });
    const put = (id: string, store: string, at: number) =>
      database.collections.outbox.insertOne(outboxDocument(id, store, new Date(at)));
    return { database, clock, open, outbox: open(), put };
  }

  test("lets the current and the next leader start reading new entries after the deleted ones", async () => {
    const { outbox, open, put } = await openOutbox();
    await outbox.advanceMark();
    // This entry stands in for the deleted ones. It is older than the mark: no open transaction could still insert it.
    await put("earlier", "sto_1", start - 3_600_000);
    await put("new", "sto_2", start);
    expect(idsOf(await outbox.readNew(allPartitions, 10))).toEqual(["new"]);
    const next = open();
    await next.advanceMark();
    expect(idsOf(await next.readNew(allPartitions, 10))).toEqual(["new"]);
    await next.markTaken(["new"]);
    expect(await next.readNew(allPartitions, 10)).toEqual([]);
    // The search for stores with entries still finds the earlier entry.
    expect(await next.storesWithEntries()).toEqual(["sto_1", "sto_2"]);
    expect(idsOf(await next.readBacklog("sto_1", undefined, 10))).toEqual(["earlier"]);
  });

  test("does not pass an entry that no relay has read", async () => {
    const { outbox, clock, put } = await openOutbox();
    await put("a", "sto_1", start);
    clock.now += 3_600_000;
    await outbox.advanceMark();
    await outbox.advanceMark();
    expect(idsOf(await outbox.readNew(allPartitions, 10))).toEqual(["a"]);
    await outbox.markTaken(["a"]);
    expect(await outbox.oldestAt()).toEqual(new Date(start));
    await outbox.advanceMark();
    expect(await outbox.oldestAt()).toEqual(new Date(start));
  });

  test("is reset when the database's clock is set back", async () => {
    const { outbox, clock, put } = await openOutbox();
    await outbox.advanceMark();
    clock.now -= 86_400_000;
    await put("a", "sto_1", clock.now);
    expect(await outbox.readNew(allPartitions, 10)).toEqual([]);
    await outbox.advanceMark();
    expect(idsOf(await outbox.readNew(allPartitions, 10))).toEqual(["a"]);
    expect(await outbox.oldestAt()).toEqual(new Date(clock.now));
  });

  test("is not raised by a replica that has not noticed a reset", async () => {
    const { database, outbox, open, clock, put } = await openOutbox();
    const readSnapshot = snapshotReader(database.client);
    const slow = open({
      readSnapshot: async (read) => {
        const result = await readSnapshot(read);
        // The clock is set back between the replica's read and its write.
        clock.now -= 86_400_000;
        await outbox.advanceMark();
        return result;
      },
    });
    await slow.advanceMark();
    await put("a", "sto_1", clock.now);
    const next = open();
    await next.advanceMark();
    expect(idsOf(await next.readNew(allPartitions, 10))).toEqual(["a"]);
  });

  test("is ignored while an entry follows it closely, because the clock may have been set back", async () => {
    const { outbox, clock, put } = await openOutbox();
    await outbox.advanceMark();
    // The clock is set back to just before the mark, and passes the mark before any replica notices.
    const behindMs = 2 * lifetimeSeconds * 1_000 + 15_000;
    clock.now -= behindMs + 1_000;
    await put("a1", "sto_1", clock.now);
    clock.now += 2_000;
    await put("a2", "sto_1", clock.now);
    expect(idsOf(await outbox.readNew(allPartitions, 10))).toEqual(["a1", "a2"]);
  });
});

test.each([1, 2, 3])(
  "the outbox is read completely, in each store's order, under random transactions, leader changes and clock jumps (seed %i)",
  async (seed) => {
    const model = await OutboxModel.open(await openDatabase(), seed);
    for (let step = 0; step < 400; step++) await model.step();
    const { committed, read } = await model.end();
    expect(read).toEqual(committed);
    expect(Object.values(committed).flat().length).toBeGreaterThan(40);
  },
  120_000,
);
