import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { Plan } from "#gen/registry/v1/store_admin_service_pb.js";
import { systemClock } from "#shared/time/clock.ts";
import { collectionsOf } from "../../services/registry/mongo/documents/collections.ts";
import { MongoStoreDirectory } from "../../services/registry/mongo/stores/mongo-store-directory.ts";
import { settingsFixture } from "../../services/registry/values/store-settings-fixture.ts";
import { inStore } from "../harness/in-store.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";
import { openWatchedClient } from "../harness/sent-commands.ts";
import { storeHistoryOf, testChange } from "../harness/store-history-of.ts";

const registry = await openTestRegistry();
const replica = await openTestRegistry({ database: registry.database });

const newShop = () => `shop-${randomBytes(6).toString("hex")}.example.test`;

test("returns the same store to concurrent requests that create it on two registries", async () => {
  for (let round = 0; round < 10; round++) {
    const shop = newShop();
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        (index % 2 === 0 ? registry : replica).admin.createStore({ shop, plan: Plan.PRO }),
      ),
    );
    const { store } = await replica.admin.getStore({}, inStore(shop));
    expect(store).toMatchObject({ shop, plan: Plan.PRO });
    expect(replies.map((reply) => reply.store)).toEqual(replies.map(() => store));
  }
});

test("waits for an open transaction that creates the same store, and then returns that store", async () => {
  const { client, collections } = registry.database;
  const shop = newShop();
  const { store: template } = await registry.admin.createStore({ shop: newShop(), plan: Plan.PRO });
  const _id = `sto_${randomBytes(12).toString("hex")}`;
  const [store, access] = await Promise.all([
    collections.stores.findOne({ _id: template?.id ?? "" }),
    collections.access.findOne({ _id: template?.id ?? "" }),
  ]);
  if (store === null || access === null) throw new Error("the template store was not stored");
  await using session = client.startSession();
  session.startTransaction({ readConcern: { level: "snapshot" } });
  await collections.stores.insertOne({ ...store, _id, shop }, { session });
  await collections.access.insertOne({ ...access, _id }, { session });
  const requests = [registry, replica].map(({ admin }) => admin.createStore({ shop, plan: Plan.PRO }));
  // The requests conflict with the open transaction, which commits while they wait.
  await Promise.race([...requests, delay(200)]);
  await session.commitTransaction();
  for (const { store: created } of await Promise.all(requests)) expect(created).toMatchObject({ id: _id, shop });
});

test("reads an existing store in a transaction and commits the transaction without writing", async () => {
  const { store } = await registry.admin.createStore({ shop: newShop(), plan: Plan.PRO });
  const { client, commands } = await openWatchedClient(registry.database.uri);
  const collections = collectionsOf(client.db());
  const directory = new MongoStoreDirectory(collections, storeHistoryOf({ client, collections }), systemClock);
  const settings = { ...settingsFixture, language: "fr" };
  const found = await directory.createStore(
    { id: "sto_other", shop: store?.shop ?? "", plan: "basic", settings },
    testChange,
  );
  expect(found).toMatchObject({ id: store?.id, plan: "pro", settings: { language: "en" } });
  expect(commands.filter((name) => name !== "endSessions")).toEqual(["find", "find", "commitTransaction"]);
});
