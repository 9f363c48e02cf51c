import { type Document, MongoClient } from "mongodb";
import { afterAll, expect, test } from "vitest";
import { systemClock } from "#shared/time/clock.ts";
import { historyEntriesMax } from "../../services/registry/certificates/certificate-lookup.ts";
import { MongoCertificateLookup } from "../../services/registry/mongo/certificates/mongo-certificate-lookup.ts";
import { collectionsOf } from "../../services/registry/mongo/documents/collections.ts";
import { MongoStorefrontInbox } from "../../services/registry/mongo/storefront/mongo-storefront-inbox.ts";
import { MongoStorefrontOrders } from "../../services/registry/mongo/storefront/mongo-storefront-orders.ts";
import { MongoStorefrontProducts } from "../../services/registry/mongo/storefront/mongo-storefront-products.ts";
import { MongoStorefronts } from "../../services/registry/mongo/storefront/mongo-storefronts.ts";
import { applyMessages } from "../../services/registry/storefront/apply-messages.ts";
import { dataReport, reportedCertificatesMax } from "../../services/registry/storefront/data-report.ts";
import { findCustomer } from "../../services/registry/storefront/find-customer.ts";
import { type WaitingMessage, workCountMax } from "../../services/registry/storefront/storefront-storage.ts";
import { commandsDuring } from "../harness/sent-commands.ts";
import { storeHistoryOf } from "../harness/store-history-of.ts";
import { openTestDatabase } from "../harness/test-database.ts";

const database = await openTestDatabase();
const client = new MongoClient(database.uri, { monitorCommands: true });
afterAll(() => client.close());
const collections = collectionsOf(client.db());
const history = storeHistoryOf({ client, collections });
const storefronts = new MongoStorefronts(collections, history, systemClock);
const lookup = new MongoCertificateLookup(collections);
const orders = new MongoStorefrontOrders(collections, systemClock);
const merging = {
  orders,
  inbox: new MongoStorefrontInbox(collections, systemClock),
  products: new MongoStorefrontProducts(collections, history, systemClock),
};

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

const refundMessage: WaitingMessage = {
  id: "refund",
  topic: "refunds/create",
  triggeredAtMs: 0,
  content: { kind: "refund", orderId: "1", refund: { id: "1", units: [] } },
  dueAt: new Date(0),
  attempts: 0,
  deaths: 0,
  erasing: undefined,
  rewrites: 0,
};

async function certificateReadsDuring(read: () => Promise<unknown>) {
  const { sent } = await commandsDuring(client, read);
  return sent.filter(({ command }) => command.find === collections.certificates.collectionName);
}

test.each<[string, () => Promise<unknown>]>([
  ["a message about an unknown order", () => applyMessages(merging, "sto_1", [refundMessage])],
  ["a customer's orders", () => findCustomer(orders, "sto_1", { email: "", customerId: "", orderIds: ["1"] })],
])("for %s, only the buyers of the orders' certificates are read, in batches", async (_what, read) => {
  const reads = await certificateReadsDuring(read);
  expect(reads.map(({ command }) => [command.batchSize, command.projection])).toEqual([
    [1_000, { "order.id": 1, "originalBuyer.email": 1 }],
  ]);
});

test("a customer's report reads no more certificates of each person, and of the orders, than it can have", async () => {
  const request = {
    kind: "customer_data_request",
    email: "ada@example.test",
    customerId: "",
    orderIds: ["1"],
  } as const;
  const message = { id: "report", topic: "customers/data_request", triggeredAtMs: 0, content: request };
  await merging.inbox.add("sto_1", message, "waiting");
  const reads = await certificateReadsDuring(() => dataReport(merging, "sto_1", message.id));
  const whole = reads.filter(({ command }) => command.projection === undefined);
  expect(whole.map(({ command }) => command.limit)).toEqual([reportedCertificatesMax + 1, reportedCertificatesMax + 1]);
});

const nameOf = (command: Document) => Object.keys(command)[0] ?? "";
