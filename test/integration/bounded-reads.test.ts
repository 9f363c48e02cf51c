import { type Document, MongoClient } from "mongodb";
import { afterAll, expect, test } from "vitest";
import { systemClock } from "#shared/time/clock.ts";
import { historyEntriesMax } from "../../services/registry/certificates/certificate-lookup.ts";
import { MongoCertificateLookup } from "../../services/registry/mongo/certificates/mongo-certificate-lookup.ts";
import { collectionsOf } from "../../services/registry/mongo/documents/collections.ts";
import { MongoStorefronts } from "../../services/registry/mongo/storefront/mongo-storefronts.ts";
import { workCountMax } from "../../services/registry/storefront/storefront-storage.ts";
import { commandsDuring } from "../harness/sent-commands.ts";
import { storeHistoryOf } from "../harness/store-history-of.ts";
import { openTestDatabase } from "../harness/test-database.ts";

const database = await openTestDatabase();
const client = new MongoClient(database.uri, { monitorCommands: true });
afterAll(() => client.close());
const collections = collectionsOf(client.db());
const storefronts = new MongoStorefronts(collections, storeHistoryOf({ client, collections }), systemClock);
const lookup = new MongoCertificateLookup(collections);

/** Returns the limit of a command that counts or reads the documents of a collection; undefined if it has none. */
function limitOf({ pipeline, limit }: Document): number | undefined {
  return Array.isArray(pipeline) ? pipeline.find((stage) => "$limit" in stage)?.$limit : limit;
}

test.each<[string, collection: string, limit: number, () => Promise<unknown>]>([
  ["the work of a store: messages", "storefrontMessages", workCountMax, () => storefronts.readWork("sto_1")],
  ["the work of a store: orders", "storefrontOrders", workCountMax, () => storefronts.readWork("sto_1")],
  ["a certificate's history", "history", historyEntriesMax, () => lookup.readHistory("sto_1", "crt_1")],
])("a read of %s stops at a limit, however much there is", async (_what, collection, limitMax, read) => {
  const { sent } = await commandsDuring(client, read);
  const limits = sent
    .map(({ command }): Document => command)
    .filter(
      (command) => collections[collection as keyof typeof collections].collectionName === command[nameOf(command)],
    )
    .filter((command) => nameOf(command) !== "distinct")
    .map(limitOf);
  expect(limits).not.toEqual([]);
  for (const limit of limits) expect(limit).toBeLessThanOrEqual(limitMax);
});

const nameOf = (command: Document) => Object.keys(command)[0] ?? "";
