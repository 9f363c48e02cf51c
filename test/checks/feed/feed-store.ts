import { type CheckedStore, createCheckedStore } from "../runner/checked-store.ts";
import type { RegistryCalls } from "../runner/registry-calls.ts";

/** A store that clients read. */
export interface FeedStore extends CheckedStore {
  readonly apiKey: string;
}

/** Creates a store with an API key. */
export async function createFeedStore(registry: RegistryCalls): Promise<FeedStore> {
  const store = await createCheckedStore(registry);
  const { apiKey } = await registry.admin.createApiKey({ storeId: store.id, label: "feed checker" });
  return { ...store, apiKey };
}
