/** The result of {@link SealedSecrets.reseal}. */
export interface ResealReport {
  /** Id of the last store that the call covered; null if no stores were left. */
  readonly lastStoreId: string | null;
  /** Ids of stores with secrets that this call re-encrypted. */
  readonly resealed: ReadonlySet<string>;
  /** Ids of stores with a secret that cannot be decrypted; the webhook or trigger with it is left unchanged. */
  readonly unreadable: ReadonlySet<string>;
}

/** The stored signing secrets of webhooks and triggers. */
export interface SealedSecrets {
  /**
   * Re-encrypts the secrets of the next `countMax` stores, in id order, with the newest key.
   *
   * @throws ServiceError `unavailable` when the database is unavailable
   */
  reseal(afterStoreId: string, countMax: number, actor: string): Promise<ResealReport>;
}
