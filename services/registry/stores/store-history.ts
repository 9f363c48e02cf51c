import type { LogPlace } from "../values/page-token.ts";

/** The kinds of administrative changes. */
export type StoreAction =
  | "store.created"
  | "plan.set"
  | "settings.changed"
  | "logo.set"
  | "logo.removed"
  | "import.started"
  | "import.stopped"
  | "products.put"
  | "product_image.set"
  | "product_image.removed"
  | "product_maker.set"
  | "key.created"
  | "key.rolled"
  | "key.renamed"
  | "key.revoked"
  | "report.closed"
  | "person.erased"
  | "storefront_rules.set"
  | "storefront.retried"
  | "webhook.set"
  | "webhook.removed"
  | "secret.rotated"
  | "secret.resealed"
  | "trigger.created"
  | "trigger.deleted"
  | "trigger.enabled"
  | "trigger.disabled"
  | "trigger.secret_rotated"
  | "listen_token.created"
  | "listen_token.revoked"
  | "settings_link.created"
  | "session.opened"
  | "session.closed"
  | "sessions.revoked";

/** Who makes an administrative change, and in which store. */
export interface ChangeOrigin {
  readonly storeId: string;
  readonly actor: string;
  /** See {@link StoreChange.session}. */
  readonly session?: string | undefined;
}

/** An administrative change to a store, as it appears in the store's history and the audit log. */
export interface StoreChange {
  readonly action: StoreAction;
  /** Name of the person or tool that made the change, such as `certctl/ada` or `storefront`; may be `unknown`. */
  readonly actor: string;
  /** Facts by name, such as `plan`: `pro`; never a secret, a key or personal data. */
  readonly details: Readonly<Record<string, string>>;
  /**
   * Hash of the token of the merchant's session in which the change is made: if the session is revoked before the
   * change is stored, the change is refused with `unauthorized`. Default: none.
   */
  readonly session?: string | undefined;
}

/** An entry in a store's history. This version may not know the `action` of an entry that a later version wrote. */
export interface StoreHistoryEntry extends Omit<StoreChange, "action" | "session"> {
  readonly id: string;
  readonly action: string;
  readonly occurredAt: Date;
}

/** An entry that has just been written. */
export type RecordedStoreChange = StoreHistoryEntry & { readonly storeId: string };

/** Storage of the stores' histories. Methods throw ServiceError `unavailable` when the database is unavailable. */
export interface StoreHistory {
  /** Writes an entry on its own, not in one transaction with the change. */
  note(storeId: string, change: StoreChange): Promise<void>;
  /**
   * Returns entries of a store, newest first.
   *
   * @param after the entry after which the page starts; undefined to start with the newest
   */
  read(storeId: string, after: LogPlace | undefined, countMax: number): Promise<StoreHistoryEntry[]>;
}
