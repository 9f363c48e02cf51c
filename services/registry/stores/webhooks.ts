import type { OtherRole, RotationStep } from "./rotate-secrets.ts";
import type { WebhookFormat } from "./store.ts";

/** How a webhook is set up, as far as it may be shown: never a secret. */
export interface WebhookSettings {
  readonly url: string;
  readonly format: WebhookFormat;
  /** The live signing secrets, the active one first; none where messages are not signed. */
  readonly secrets: readonly {
    readonly role: "active" | OtherRole;
    /** Null for a secret of a version that did not write it down. */
    readonly createdAt: Date | null;
  }[];
}

/** The format where none was ever chosen for a store's URL. */
export const formatOfNewUrl: WebhookFormat = "v2";

/** A webhook to store. */
export interface NewWebhook {
  readonly url: string;
  /** Null: the present one stays, or {@link formatOfNewUrl}. */
  readonly format: WebhookFormat | null;
  /** Replaces every live secret at once; null: those that are live stay. */
  readonly newSecret: string | null;
}

/** What setting a webhook did. */
export interface SetReport {
  /** How it is set up now; null where it was removed. */
  readonly webhook: WebhookSettings | null;
  /** Whether a secret that was live is no longer. */
  readonly replacedSecret: boolean;
}

/** What became of a page of stores. */
export interface ResealReport {
  /** The last store that was looked at; null when there was none after the given one. */
  readonly lastStoreId: string | null;
  /** Stores whose secrets are sealed with the newest key since this call. */
  readonly resealedCount: number;
  /** Stores that have a secret which cannot be opened; it stays as it is. */
  readonly unreadable: readonly string[];
}

/**
 * Where webhooks and their signing secrets are kept, sealed. Each method that writes does so in one atomic step, and throws
 * ServiceError `not_found` for an unknown store, `conflict` when others kept changing the same webhook at the same time, and
 * `unavailable` when the database is away.
 */
export interface Webhooks {
  /** Null while no webhook is set up. */
  find(storeId: string): Promise<WebhookSettings | null>;
  /** @param webhook null removes it */
  set(storeId: string, webhook: NewWebhook | null): Promise<SetReport>;
  /** @throws ServiceError as {@link rotateSecrets} does; `failed_precondition` without a webhook */
  rotateSecret(storeId: string, step: RotationStep<string>): Promise<WebhookSettings>;
  /** Seals with the newest key what is not, in so many stores after this one in the order of their ids. */
  resealSecrets(afterStoreId: string, countMax: number): Promise<ResealReport>;
}
