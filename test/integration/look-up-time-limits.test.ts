import { type CommandStartedEvent, type Document, MongoClient } from "mongodb";
import { afterAll, expect, test } from "vitest";
import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import { systemClock } from "#shared/time/clock.ts";
import { redeliveryPrefix } from "../../services/registry/deliveries/delivery-log.ts";
import { MongoApiKeys } from "../../services/registry/mongo/admissions/mongo-api-keys.ts";
import { MongoSamples } from "../../services/registry/mongo/certificates/mongo-samples.ts";
import { MongoDeliveries } from "../../services/registry/mongo/deliveries/mongo-deliveries.ts";
import { MongoWebhooks } from "../../services/registry/mongo/deliveries/mongo-webhooks.ts";
import { collectionsOf } from "../../services/registry/mongo/documents/collections.ts";
import { MongoSealedSecrets } from "../../services/registry/mongo/stores/mongo-sealed-secrets.ts";
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
const sealedSecrets = new MongoSealedSecrets({ collections, history, box });
const keys = new MongoApiKeys(collections.access, history);
const samples = new MongoSamples(collections, systemClock);
const sample = { id: "smp_1", storeId, product: { id: "", title: "Poster", variant: "", sku: "" } };

test.each<[lookUp: string, () => Promise<unknown>]>([
  ["a store", () => directory.findStore({ storeId })],
  ["all stores", () => directory.listStores("", 10)],
  ["a webhook", () => webhooks.find(storeId)],
  ["the secrets to reseal", () => sealedSecrets.reseal("", 10, "test")],
  ["the keys of a store", () => keys.list(storeId)],
  ["recently used keys", () => keys.listRecent({ usedAfter: new Date(0), afterStoreId: "", storesMax: 10 })],
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

test("every command of a webhook's claim, renewal and outcome has a time limit in the database", async () => {
  const commands: Document[] = [];
  const watch = ({ command }: CommandStartedEvent) => void commands.push(command);
  const records = new MongoDeliveries({
    collections,
    box,
    clock: systemClock,
    onSettled: () => undefined,
    onRecorded: () => undefined,
  });
  const request = {
    storeId,
    certificateId: "crt_1",
    type: EventType.ISSUED,
    requestedBy: "",
    queuedAt: undefined,
    attemptToken: "one",
    eventId: `${redeliveryPrefix}1`,
  };
  client.on("commandStarted", watch);
  const { now } = await records.webhooksOf([storeId]);
  const origin = { claimedBy: "notifier", claimedAt: new Date(now.getTime() + 3_600_000) };
  await records.claim([request], origin);
  // Finds the claim, whose time is from before the database's clock was set back.
  await records.claim([request], { ...origin, claimedAt: now });
  await records.renew([request], now);
  const unsent = { httpStatus: 0, durationMs: 0, reason: null, phases: {}, remoteAddress: "", replyExcerpt: "" };
  const outcome = { ...unsent, eventId: request.eventId, kind: "interrupted" } as const;
  await records.settle([outcome]);
  await records.settle([outcome]);
  client.off("commandStarted", watch);
  expect(commands.map((command) => Object.keys(command)[0])).toEqual(
    expect.arrayContaining(["insert", "update", "delete"]),
  );
  for (const command of commands) expect(command).toMatchObject({ maxTimeMS: 4_000 });
});
