import type { StoreChange } from "./store-history.ts";

/** Maximum number of valid keys per store, rolled keys in their grace period included. */
export const apiKeysMax = 20;

/** An API key to store. */
export interface NewApiKey {
  readonly id: string;
  readonly label: string;
  /** See {@link ApiKeyRecord.prefix}. */
  readonly prefix: string;
  /** SHA-256 of the key. */
  readonly hash: Uint8Array;
}

/** A valid API key, without its secret part. */
export interface ApiKeyRecord {
  readonly id: string;
  readonly label: string;
  /**
   * First characters of the key, by which its owner recognizes it; the empty string for keys stored by the first
   * version.
   */
  readonly prefix: string;
  readonly createdAt: Date;
  /** When the key was last used; may lag by up to two minutes. Null if never used. */
  readonly lastUsedAt: Date | null;
  /**
   * When the key stops working; null if it has not been rolled. A change of the store's keys, and any decision on its
   * requests that is written, removes the keys that have ended, so that no clock that is set back revives them.
   */
  readonly validUntil: Date | null;
}

/** A roll: a new key replaces an old one, which keeps working for a grace period. */
export interface ApiKeyReplacement {
  /** Id of a valid key that has not been rolled. */
  readonly oldKeyId: string;
  readonly key: NewApiKey;
  /** How long the old key keeps working. */
  readonly graceMs: number;
}

/** A use of a key, which {@link ApiKeys.noteUses} records. */
export interface KeyUse {
  /** SHA-256 of the key. */
  readonly keyHash: Uint8Array;
  readonly at: Date;
}

/** The query of {@link ApiKeys.listRecent}. */
export interface RecentKeysQuery {
  readonly usedAfter: Date;
  /** `nextStoreId` of the previous page; empty for the first page. */
  readonly afterStoreId: string;
  /** Maximum number of stores on the page. */
  readonly storesMax: number;
}

/** A page of recently used keys. */
export interface RecentKeysPage {
  /** SHA-256 of each key. */
  readonly keyHashes: readonly Uint8Array[];
  /** The empty string on the last page. */
  readonly nextStoreId: string;
}

/**
 * Storage of API keys. Each change to a store's keys is one atomic step that uses the database's clock and writes an
 * entry to the store's history. Unless stated otherwise, methods throw ServiceError `not_found` for an unknown store.
 * All methods throw `unavailable` when the database is unavailable.
 */
export interface ApiKeys {
  /** Returns the store's valid keys, oldest first. */
  list(storeId: string): Promise<ApiKeyRecord[]>;
  /** @throws ServiceError `failed_precondition` when the store has {@link apiKeysMax} keys */
  add(storeId: string, key: NewApiKey, change: StoreChange): Promise<void>;
  /**
   * @returns when the old key stops working; null if it has already stopped
   * @throws ServiceError `failed_precondition` when the store would have more than {@link apiKeysMax} keys; `conflict`,
   * rather than `not_found`, when the store or the old key does not exist, or when the old key has been rolled, usually
   * by a concurrent request
   */
  replace(storeId: string, replacement: ApiKeyReplacement, change: StoreChange): Promise<Date | null>;
  /** Changes the label of a key. @throws ServiceError `not_found` when the store has no such key */
  rename(storeId: string, keyId: string, label: string, change: StoreChange): Promise<void>;
  /** @throws ServiceError `not_found` when the store has no such key */
  remove(storeId: string, keyId: string, change: StoreChange): Promise<void>;
  /**
   * Records the times at which keys were used: at most one use per key and interval across all replicas. Replaces a
   * stored time that is later than an interval after `now`, because the database's clock was set back since.
   *
   * @param options.now the database's time
   */
  noteUses(uses: readonly KeyUse[], options: { readonly now: Date; readonly intervalMs: number }): Promise<void>;
  /** Returns a page of the valid keys whose last recorded use is later than `usedAfter`, ordered by store id. */
  listRecent(query: RecentKeysQuery): Promise<RecentKeysPage>;
}
