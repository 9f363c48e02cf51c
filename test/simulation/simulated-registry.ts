import type { MongoClient } from "mongodb";
import { pino } from "pino";
import { Places } from "#shared/limits/places.ts";
import { reason } from "#shared/reasons/reason.ts";
import type { Clock } from "#shared/time/clock.ts";
import { CommitQueue } from "../../services/registry/certificates/commit-queue.ts";
import { settleUnsent } from "../../services/registry/deliveries/settle-unsent.ts";
import { MongoLedger, type MongoLedgerDeps } from "../../services/registry/mongo/certificates/mongo-ledger.ts";
import { MongoDeliveries } from "../../services/registry/mongo/deliveries/mongo-deliveries.ts";
import type { Collections } from "../../services/registry/mongo/documents/collections.ts";
import { MongoPersonalData } from "../../services/registry/mongo/persons/mongo-personal-data.ts";
import { MongoStorefrontInbox } from "../../services/registry/mongo/storefront/mongo-storefront-inbox.ts";
import { MongoStorefrontOrders } from "../../services/registry/mongo/storefront/mongo-storefront-orders.ts";
import { MongoStorefrontProducts } from "../../services/registry/mongo/storefront/mongo-storefront-products.ts";
import { MongoStorefronts } from "../../services/registry/mongo/storefront/mongo-storefronts.ts";
import { MongoStoreDirectory } from "../../services/registry/mongo/stores/mongo-store-directory.ts";
import { MongoStoreHistory } from "../../services/registry/mongo/stores/mongo-store-history.ts";
import type { ErasePersonDeps } from "../../services/registry/persons/erase-person.ts";
import { createSecretBox } from "../../services/registry/secrets/secret-box.ts";
import { type WorkOnBatchDeps, workOnBatch } from "../../services/registry/storefront/work-on-batch.ts";
import type { EventStream } from "./event-stream.ts";
import { Freezer } from "./freezer.ts";

/** A database shared by the simulated registries, with the event stream. */
export interface SimulatedDatabase {
  readonly client: MongoClient;
  readonly collections: Collections;
  /** Default: no event is published. */
  readonly stream?: EventStream;
  /** Creates the parts of a registry in a process of a world, so that their maps are observed. Default: in none. */
  readonly inReplica?: <T>(create: () => T) => T;
}

/** The connector of one registry, with the production code down to the database driver. */
export type SimulatedRegistry = ReturnType<typeof createRegistry>;

const logger = pino({ level: "silent" });
const never = new AbortController().signal;
// The stores of the simulation have no webhooks, so nothing is encrypted.
const box = createSecretBox([Buffer.alloc(32, 7)]);

interface SimulatedRegistryDeps {
  /** The registry's own clock, which may be wrong. */
  readonly clock: Clock;
  readonly databaseClock: Clock;
  /** See MongoLedgerDeps. */
  readonly advance?: MongoLedgerDeps["advance"];
}

/** Starts a registry in a process of its own, if there is a world. */
export function startIn<T>({ inReplica }: SimulatedDatabase, create: () => T): T {
  return inReplica === undefined ? create() : inReplica(create);
}

/** Creates a registry that works for a store whenever the simulation lets it, with or without a claim. */
export function createRegistry(
  { client, collections, stream }: SimulatedDatabase,
  { clock, databaseClock, advance }: SimulatedRegistryDeps,
) {
  const databaseTime = () => new Date(databaseClock.now());
  const freezer = new Freezer();
  const ledger = new MongoLedger({
    client,
    collections,
    clock,
    databaseTime,
    serviceVerifyUrl: "https://verify.example.test/c",
    hasAutomationEvents: true,
    ...(advance && { advance }),
    onEvents: () => undefined,
  });
  const history = new MongoStoreHistory({
    client,
    collections,
    clock: databaseClock,
    onRecorded: () => undefined,
  });
  const queue = new CommitQueue(ledger, { clock });
  const records = new MongoDeliveries({
    collections,
    box,
    clock,
    databaseTime,
    onSettled: () => undefined,
    onRecorded: () => undefined,
  });
  const persons: ErasePersonDeps = {
    queue,
    records,
    data: new MongoPersonalData({ client, collections }),
    deleteMessages: stream?.deleteMessages ?? (async () => ({ count: 0, waitingCount: 0, next: undefined })),
    deleteAutomationMessages: async () => ({ count: 0, waitingCount: 0, next: undefined }),
    publishesAutomationEvents: async () => false,
    isUnsettled: async (eventId) => (await collections.outbox.findOne({ _id: eventId })) !== null,
  };
  const parts = {
    inbox: new MongoStorefrontInbox(collections, databaseClock, databaseTime),
    orders: new MongoStorefrontOrders(collections, databaseClock),
    products: new MongoStorefrontProducts(collections, history, databaseClock),
    storefronts: new MongoStorefronts(collections, history, databaseClock),
    stores: new MongoStoreDirectory(collections, history, databaseClock),
    queue,
    persons,
  };
  const deps: WorkOnBatchDeps = {
    inbox: freezer.wrap(parts.inbox, "inbox"),
    orders: freezer.wrap(parts.orders, "orders"),
    products: freezer.wrap(parts.products, "products"),
    storefronts: freezer.wrap(parts.storefronts, "storefronts"),
    queue: freezer.wrap(queue, "queue"),
    persons: { ...persons, queue: freezer.wrap(queue, "queue"), data: freezer.wrap(persons.data, "persons") },
    recordErasure: (storeId, actor) => history.note(storeId, { action: "person.erased", actor, details: {} }),
    onReconciled: () => undefined,
    onFailed: () => undefined,
    workerId: crypto.randomUUID(),
    suspects: new Places({ inFlightMax: 1, inFlightPerStoreMax: 1, waitingMax: 10 }),
    stopping: never,
    clock: databaseClock,
    logger,
  };
  return {
    ...parts,
    freezer,
    /** Works on one batch of the store. @returns whether there may be more work */
    work: (storeId: string, isSuspect = false): Promise<boolean> => workOnBatch(deps, storeId, never, isSuspect),
    /** Publishes the oldest events of the store. */
    async publish(storeId: string): Promise<void> {
      const { items } = await persons.data.scanEvents(storeId, undefined);
      for (const { request, bytes } of items.slice(0, 3))
        await stream?.publish({ ...request, at: request.queuedAt ?? new Date(0), event: bytes });
    },
    /** Claims the oldest event of the store, as a notifier does, and settles it unless the notifier dies before. */
    async notify(storeId: string, isDying: boolean): Promise<void> {
      const [oldest] = (await persons.data.scanEvents(storeId, undefined)).items;
      if (oldest === undefined) return;
      const { request, bytes } = oldest;
      const claimedAt = databaseTime();
      if (isDying) return void (await records.claim([request], { claimedBy: "notifier", claimedAt }));
      const outcome = { kind: "skipped", reason: reason("sender_lost") } as const;
      if (!(await settleUnsent(records, request, { claimedBy: "notifier", outcome }))) return;
      const matches = (stored: Uint8Array) => Buffer.compare(stored, bytes) === 0;
      await stream?.deleteMessages(storeId, { matches, isSettled: async () => true, apply: true });
    },
  };
}
