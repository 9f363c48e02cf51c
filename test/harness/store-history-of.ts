import type { MongoClient } from "mongodb";
import { systemClock } from "#shared/time/clock.ts";
import type { Collections } from "../../services/registry/mongo/documents/collections.ts";
import { MongoStoreHistory } from "../../services/registry/mongo/stores/mongo-store-history.ts";
import type { StoreChange } from "../../services/registry/stores/store-history.ts";

/** A change for tests that call the storage directly. */
export const testChange: StoreChange = { action: "settings.changed", actor: "test", details: {} };

/** Opens the histories of a database's stores, without audit logging. */
export function storeHistoryOf({ client, collections }: { client: MongoClient; collections: Collections }) {
  return new MongoStoreHistory({ client, collections, clock: systemClock, onRecorded: () => undefined });
}
