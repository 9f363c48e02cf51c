import { setTimeout as delay } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { productVersion } from "#shared/lifecycle/product-version.ts";
import { captureLog } from "#shared/observe/captured-log-fixture.ts";
import { createLogger } from "#shared/observe/logger.ts";
import { withDatabase } from "../../deploy/local/servers/with-database.ts";
import { connectMongo } from "../../services/registry/mongo/opening/connect-mongo.ts";
import { openDatabase } from "../../services/registry/mongo/opening/open-database.ts";
import { startDatabaseProxy } from "../harness/database-proxy.ts";
import { eventually } from "../harness/eventually.ts";
import { inStore } from "../harness/in-store.ts";
import { issueItem } from "../harness/issue-items.ts";
import { openTestRegistry, startTestRegistry } from "../harness/registry-fixture.ts";
import { startStandaloneDatabase } from "../harness/standalone-database.ts";
import { openTestDatabase, type TestDatabase } from "../harness/test-database.ts";
import { createTestStore } from "../harness/test-stores.ts";

const logger = createLogger("registry", "silent");
const database = await openTestDatabase();

async function indexesOf({ db }: TestDatabase): Promise<Record<string, unknown>> {
  const names = (await db.listCollections().toArray()).map(({ name }) => name).sort();
  const indexes: Record<string, unknown> = {};
  for (const name of names) {
    const found = await db.collection(name).listIndexes().toArray();
    indexes[name] = Object.fromEntries(
      found.map(({ name, key, unique, partialFilterExpression }) => [
        name,
        { key, ...(unique && { unique }), ...(partialFilterExpression && { partialFilterExpression }) },
      ]),
    );
  }
  return indexes;
}

test("creates indexes at startup, with their keys, uniqueness and partial filters", async () => {
  const registry = await startTestRegistry({ database });
  await registry.stop();
  const id = { _id_: { key: { _id: 1 } } };
  expect(await indexesOf(database)).toMatchObject({
    stores: { ...id, shop: { key: { shop: 1 }, unique: true } },
    access: { ...id, key_hash: { key: { "keys.hash": 1 } } },
    certificates: {
      ...id,
      feed: { key: { store: 1, updatedAt: 1 }, unique: true },
      serial: { key: { store: 1, serial: 1 }, unique: true },
      feed_by_owner: { key: { store: 1, ownerEmailKey: 1, updatedAt: 1 } },
      feed_by_order_name: { key: { store: 1, "order.name": 1, updatedAt: 1 } },
      feed_by_order_id: { key: { store: 1, "order.id": 1, updatedAt: 1 } },
      feed_by_status: { key: { store: 1, status: 1, updatedAt: 1, expiresAt: 1 } },
      words: { key: { store: 1, words: 1 } },
      may_expire: {
        key: { store: 1, expiresAt: 1 },
        partialFilterExpression: { status: "active", expiresAt: { $gt: new Date(0) } },
      },
      issue_key: {
        key: { store: 1, issueKey: 1 },
        unique: true,
        partialFilterExpression: { issueKey: { $exists: true } },
      },
    },
    samples: { ...id, store: { key: { store: 1, createdAt: 1 } } },
    products: { ...id, sku: { key: { "_id.store": 1, "variants.sku": 1 }, unique: true } },
    outbox: {
      ...id,
      store_order: { key: { store: 1, at: 1 }, unique: true },
      fresh_of_partition: { key: { taken: 1, partition: 1, at: 1 } },
    },
    quarantine: { ...id, life: { key: { at: 1 } } },
    deliveries: {
      ...id,
      log: { key: { store: 1, claimedAt: 1, _id: 1 } },
      log_by_certificate: { key: { store: 1, certificate: 1, claimedAt: 1, _id: 1 } },
      log_by_fields: { key: { store: 1, "outcome.kind": 1, type: 1, resent: 1, claimedAt: 1, _id: 1 } },
      resent_as: { key: { resentAs: 1 }, partialFilterExpression: { resentAs: { $exists: true } } },
      life: { key: { claimedAt: 1 } },
    },
  });
});

test("changes neither documents nor indexes when two replicas restart concurrently", async () => {
  const first = await startTestRegistry({ database });
  const storeId = await createTestStore(first);
  await first.issuing.issueCertificates({ items: [issueItem({ order: {} }), issueItem()] }, inStore(storeId));
  await first.issuing.createSamples({ products: [{ title: "A" }] }, inStore(storeId));
  await first.stop();
  const before = { indexes: await indexesOf(database), contents: await database.contents() };

  const replicas = await Promise.all([startTestRegistry({ database }), startTestRegistry({ database })]);
  for (const replica of replicas) await replica.stop();
  expect({ indexes: await indexesOf(database), contents: await database.contents() }).toEqual(before);
});

test("creates the same indexes in an empty database when three registries start concurrently", async () => {
  const empty = await openTestDatabase(onTestFinished);
  const starting = [1, 2, 3].map(() => startTestRegistry({ database: empty }));
  for (const registry of await Promise.all(starting)) await registry.stop();
  expect(await indexesOf(empty)).toEqual(await indexesOf(database));
});

test("starts on a database whose TTL index has a different expiry, and updates the index", async () => {
  const old = await openTestDatabase(onTestFinished);
  const { quarantine } = old.collections;
  await quarantine.createIndex({ at: 1 }, { name: "life", expireAfterSeconds: 3_600 });
  const registry = await startTestRegistry({ database: old });
  await registry.stop();
  const life = (await quarantine.listIndexes().toArray()).find(({ name }) => name === "life");
  expect(life).toMatchObject({ key: { at: 1 }, expireAfterSeconds: 30 * 86_400 });
});

test("deletes the state of migrations that it does not know before it serves requests, so that these run again", async () => {
  const later = await openTestDatabase(onTestFinished);
  const { migrations } = later.collections;
  const finished = { position: null, isLastPass: true, changedCount: 1, finishedAt: new Date() };
  await migrations.insertOne({ _id: "later", ...finished });
  const opened = await openDatabase(later.uri, { reads: 2, changes: 2, deliveries: 2 }, { logger });
  onTestFinished(() => opened.close());
  expect(await migrations.countDocuments()).toBe(0);
});

test("waits for an index build that takes longer than the time limit of other commands", async () => {
  const empty = await openTestDatabase(onTestFinished);
  const proxy = await startDatabaseProxy(empty.uri, onTestFinished);
  proxy.hold("createIndexes certificates");
  const opening = openDatabase(proxy.uri, { reads: 2, changes: 2, deliveries: 2 }, { logger, socketTimeoutMs: 3_000 });
  await eventually(() => expect(proxy.count("createIndexes certificates")).toBe(1));
  await delay(7_000);
  proxy.heal();
  const opened = await opening;
  await opened.close();
  expect(proxy.count("createIndexes certificates")).toBe(1);
});

test("says what it waits for while the database accepts connections but does not answer", async () => {
  const empty = await openTestDatabase(onTestFinished);
  const proxy = await startDatabaseProxy(empty.uri, onTestFinished);
  const { logger, lines } = captureLog();
  const clock = {
    sleep: (_ms: number, signal?: AbortSignal) => delay(20, undefined, { signal }).catch(() => undefined),
  };
  proxy.hold("createIndexes certificates");
  const opening = openDatabase(proxy.uri, { reads: 2, changes: 2, deliveries: 2 }, { logger, clock });
  const warning = { level: 40, step: "indexes", msg: "still opening the database" };
  await eventually(() => expect(lines).toContainEqual(expect.objectContaining(warning)));
  proxy.heal();
  const opened = await opening;
  const count = lines.length;
  await delay(200);
  expect(lines).toHaveLength(count);
  await opened.close();
});

test("refuses a database server that is not part of a replica set, and states the reason and the remedy", async (context) => {
  const standalone = await startStandaloneDatabase();
  if (standalone === undefined) return context.skip("neither mongod nor its fast stand-in is installed");
  onTestFinished(() => standalone.close());
  const uri = withDatabase(standalone.url, "registry");
  await expect(connectMongo(uri)).rejects.toThrow(
    /^The database server is not part of a replica set, so it does not support transactions, .* Use a MongoDB replica set; a single node is sufficient\.$/,
  );
});

test("serves probes and metrics on the operations port", async () => {
  const registry = await openTestRegistry({ database }, onTestFinished);
  await createTestStore(registry);
  const get = async (path: string) => {
    const response = await fetch(`${registry.operationsUrl}${path}`);
    return { status: response.status, body: await response.text() };
  };
  expect(await get("/livez")).toEqual({ status: 200, body: `ok ${productVersion}\n` });
  expect(await get("/readyz")).toEqual({ status: 200, body: "ok\n" });
  expect((await get("/metrics")).body).toContain(
    'registry_grpc_call_duration_seconds_count{method="registry.v1.StoreAdminService/CreateStore",code="OK"} 1',
  );
  expect((await get("/other")).status).toBe(404);
});
