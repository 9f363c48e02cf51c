import { type CommandStartedEvent, type Document, MongoClient } from "mongodb";
import { afterAll, expect, test } from "vitest";
import { systemClock } from "#shared/time/clock.ts";
import { MongoSamples } from "../../services/registry/mongo/certificates/mongo-samples.ts";
import { MongoWebhooks } from "../../services/registry/mongo/deliveries/mongo-webhooks.ts";
import { collectionsOf } from "../../services/registry/mongo/documents/collections.ts";
import { MongoStoreDirectory } from "../../services/registry/mongo/stores/mongo-store-directory.ts";
import { createSecretBox } from "../../services/registry/secrets/secret-box.ts";
import { openTestRegistry } from "../harness/registry-fixture.ts";
import { storeHistoryOf } from "../harness/store-history-of.ts";
import { createTestStore } from "../harness/test-stores.ts";

const registry = await openTestRegistry();
const storeId = await createTestStore(registry);
const client = new MongoClient(registry.database.uri, { monitorCommands: true });
afterAll(() => client.close());
const collections = collectionsOf(client.db());
const history = storeHistoryOf({ client, collections });
const box = createSecretBox([new Uint8Array(32)]);

const directory = new MongoStoreDirectory(collections, history, systemClock);
const webhooks = new MongoWebhooks(collections.stores, history, box, systemClock);
const samples = new MongoSamples(collections, systemClock);
const sample = { id: "smp_1", storeId, product: { id: "", title: "Poster", variant: "", sku: "" } };

test.each<[lookUp: string, () => Promise<unknown>]>([
  ["a store", () => directory.findStore({ storeId })],
  ["all stores", () => directory.listStores("", 10)],
  ["a webhook", () => webhooks.find(storeId)],
  ["the webhooks to reseal", () => webhooks.resealSecrets("", 10, "test")],
  ["the store of new samples", () => samples.insertSamples(storeId, [sample])],
])("every read that looks up %s has a time limit in the database", async (_lookUp, run) => {
  const reads: Document[] = [];
  const watch = ({ commandName, command }: CommandStartedEvent) => {
    // Reads in a transaction are excluded, because the transaction has a time limit of its own.
    if (["find", "aggregate"].includes(commandName) && command.txnNumber === undefined) reads.push(command);
  };
  client.on("commandStarted", watch);
  await run();
  client.off("commandStarted", watch);
  expect(reads).not.toEqual([]);
  for (const { maxTimeMS } of reads) expect(maxTimeMS).toBe(4_000);
});
