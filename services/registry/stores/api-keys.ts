/** How many keys a store can have at once, those among them that were rolled and still work. */
export const apiKeysMax = 20;

/** An API key to store. */
export interface NewApiKey {
  readonly id: string;
  readonly label: string;
  /** Its first characters; see {@link ApiKeyRecord}. */
  readonly prefix: string;
  /** SHA-256 of the key. */
  readonly hash: Uint8Array;
}

/** A valid API key as far as it may be shown. */
export interface ApiKeyRecord {
  readonly id: string;
  readonly label: string;
  /** Its first characters, by which people find it again; empty for keys of early versions. */
  readonly prefix: string;
  readonly createdAt: Date;
  /** When a request last came with it, up to two minutes behind; null while none has come. */
  readonly lastUsedAt: Date | null;
  /** When it stops working; null until it is rolled. */
  readonly validUntil: Date | null;
}

/** One key in the place of another. */
export interface ApiKeyReplacement {
  /** A valid key that was not rolled yet. */
  readonly oldKeyId: string;
  readonly key: NewApiKey;
  /** How long the old key goes on working. */
  readonly graceMs: number;
}

/** When a key was used. */
export interface KeyUse {
  /** SHA-256 of the key. */
  readonly keyHash: Uint8Array;
  readonly at: Date;
}

/**
 * Where API keys are kept. Each method that changes a store's keys does so in one atomic step, by the database's clock, and
 * throws ServiceError `not_found` for an unknown store and `unavailable` when the database is away.
 */
export interface ApiKeys {
  /** The store's valid keys, oldest first. */
  list(storeId: string): Promise<ApiKeyRecord[]>;
  /** @throws ServiceError `failed_precondition` when the store has {@link apiKeysMax} keys */
  add(storeId: string, key: NewApiKey): Promise<void>;
  /**
   * @returns when the old key stops working; null where it has stopped
   * @throws ServiceError `failed_precondition` when the store would have more than {@link apiKeysMax} keys, `conflict` when
   * the old key cannot be replaced any longer
   */
  replace(storeId: string, replacement: ApiKeyReplacement): Promise<Date | null>;
  /** @throws ServiceError `not_found` when the store has no such key */
  remove(storeId: string, keyId: string): Promise<void>;
  /** Writes down when keys were used; of each key at most once in this time, whoever asks. */
  noteUses(uses: readonly KeyUse[], everyMs: number): Promise<void>;
}
