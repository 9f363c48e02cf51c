import { type Clock, steadyClock } from "#shared/time/clock.ts";
import type { CommitQueue } from "./certificates/commit-queue.ts";
import { observeStorefront } from "./metrics/observe-storefront.ts";
import { MongoStorefrontInbox } from "./mongo/storefront/mongo-storefront-inbox.ts";
import { MongoStorefrontOrders } from "./mongo/storefront/mongo-storefront-orders.ts";
import { MongoStorefrontProducts } from "./mongo/storefront/mongo-storefront-products.ts";
import { MongoStorefronts } from "./mongo/storefront/mongo-storefronts.ts";
import { MongoWorkQueue } from "./mongo/storefront/mongo-work-queue.ts";
import type { MongoStoreHistory } from "./mongo/stores/mongo-store-history.ts";
import type { ErasePersonDeps } from "./persons/erase-person.ts";
import { connectorService } from "./rpc/connector-service.ts";
import { storefrontService } from "./rpc/storefront-service.ts";
import { failedMessagesMax } from "./storefront/receive-message.ts";
import { roomPerStore, type StoreBound } from "./storefront/room-per-store.ts";
import { createStorefrontWorker } from "./storefront/storefront-worker.ts";
import type { KnownStores } from "./stores/known-stores.ts";
import type { WiringDeps } from "./wiring-deps.ts";

interface StorefrontWiring extends Pick<WiringDeps, "database" | "logger" | "metrics"> {
  readonly storeHistory: MongoStoreHistory;
  readonly knownStores: KnownStores;
  readonly queue: CommitQueue;
  readonly persons: ErasePersonDeps;
  /** The bound on a store's products whose tags are stored. Default: 100,000. */
  readonly productsBound: StoreBound | undefined;
  /** The database's clock: replicas compare the times at which work is due. */
  readonly clock: Clock;
}

/** Wires the storefront connector: its services, and its worker, which the caller must start. */
export function wireStorefront(deps: StorefrontWiring) {
  const { database, storeHistory, clock, metrics } = deps;
  const { collections } = database.changes;
  const inbox = new MongoStorefrontInbox(collections, clock);
  const orders = new MongoStorefrontOrders(collections, clock);
  const products = new MongoStorefrontProducts(collections, storeHistory, clock, deps.productsBound);
  const storefronts = new MongoStorefronts(collections, storeHistory, clock);
  const work = new MongoWorkQueue(collections, clock);
  const observed = observeStorefront({ metrics, clock, oldestAt: () => work.oldestAt() });
  const recordErasure = (storeId: string, actor: string) =>
    storeHistory.note(storeId, { action: "person.erased", actor, details: {} });
  const worker = createStorefrontWorker({
    ...deps,
    ...observed,
    recordErasure,
    work,
    inbox,
    orders,
    products,
    storefronts,
    steadyClock,
  });
  const onWaiting = () => worker.wake();
  const shared = {
    ...deps,
    inbox,
    orders,
    storefronts,
    onWaiting,
    hasRoomForFailed: roomPerStore((...args) => inbox.countFailed(...args), { countMax: failedMessagesMax }),
  };
  return {
    worker,
    services: [connectorService(shared), storefrontService(shared)],
  };
}
