import { Binary } from "mongodb";
import { afterEach, expect, test } from "vitest";
import { snapshotReader } from "../../services/registry/mongo/driver/read-snapshot.ts";
import { MongoAutomationOutbox } from "../../services/registry/mongo/outbox/mongo-automation-outbox.ts";
import { openTestDatabase } from "../harness/test-database.ts";

const database = await openTestDatabase();
const { automationOutbox } = database.collections;
afterEach(() => automationOutbox.deleteMany({}));
const outbox = new MongoAutomationOutbox(database.collections, snapshotReader(database.client));

const startMs = Date.parse("2026-11-23T12:00:00.000Z");

/** Adds events of a store. @param fromMs time of the first by the store's clock, in milliseconds after the start */
const add = (store: string, count: number, fromMs = 0) =>
  automationOutbox.insertMany(
    Array.from({ length: count }, (_, index) => ({
      _id: `${store}-${fromMs + index}`,
      store,
      at: new Date(startMs + fromMs + index),
      storedAt: new Date(startMs),
      name: "issued",
      event: new Binary(new Uint8Array()),
    })),
  );

test("reads the events of every store although one store has a backlog of earlier events", async () => {
  await add("large", 600);
  await add("small", 2, 10_000);
  const read = await outbox.read(100);
  expect(read.length).toBeLessThanOrEqual(100);
  const of = (store: string) => read.flatMap(({ storeId, eventId }) => (storeId === store ? eventId : []));
  expect(of("small")).toEqual(["small-10000", "small-10001"]);
  expect(of("large")).toEqual(Array.from({ length: 50 }, (_, index) => `large-${index}`));
});

test("reads as many events of one store as are asked for", async () => {
  await add("large", 600);
  expect(await outbox.read(100)).toHaveLength(100);
});

test("gives each of many stores its turn", async () => {
  const stores = Array.from({ length: 40 }, (_, index) => `store${index}`);
  for (const store of stores) await add(store, 3);
  const served = new Set<string>();
  for (let round = 0; round < 200 && served.size < stores.length; round++)
    for (const { storeId } of await outbox.read(100)) served.add(storeId);
  expect(served.size).toBe(stores.length);
});

test("the oldest event's time is the database's, although its store's clock is ahead", async () => {
  await add("ahead", 1, 3_600_000);
  expect(await outbox.oldestAt()).toEqual(new Date(startMs));
});
