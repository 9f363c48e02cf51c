import type { Binary } from "mongodb";
import type { ApiKeyRecord } from "../../stores/api-keys.ts";
import type { Plan, StoreSettings } from "../../values/store.ts";

// The rules in services/registry/mongo/documents/documents.ts apply.

/** A store's API access, stored separately from `StoreDocument` so that certificate changes do not delay admissions. */
export interface AccessDocument {
  /** The store's id. */
  readonly _id: string;
  readonly plan: Plan;
  /**
   * A copy of the store's settings, so that an admission can return them without another read.
   */
  readonly settings: StoreSettings;
  /** Identifies the feed since the store's creation or the last restore from a backup. */
  readonly epoch: string;
  readonly keys: readonly ApiKeyDocument[];
  /** The sliding-window log, oldest first. The next decision removes what has left the window. */
  readonly admitted: readonly AdmittedRequests[];
  /** The latest decision that was written; a refusal decided by a read alone is not written. */
  readonly decision: AccessDecision | null;
}

/** Requests that one decision admitted. */
export interface AdmittedRequests {
  /** The time of the decision. */
  readonly at: Date;
  /** The places of the requests in the window, random, so that a single one can be returned; at least one. */
  readonly ids: readonly Binary[];
}

/** The decision on one API request, or on several with the same key that were decided together. */
export interface AccessDecision {
  /** Database time; not earlier than that of the previous decision, unless the database's clock was set back. */
  readonly at: Date;
  readonly group: GroupDecision;
}

/** The outcome of a decision on one or more requests with the same key. */
interface GroupDecision {
  /** The id of the first of these requests. */
  readonly id: Binary;
  readonly keyIsValid: boolean;
  /** The store's plan at the time of the decision. */
  readonly plan: Plan;
  /** For each request, in order: whether it was admitted. */
  readonly admitted: readonly boolean[];
}

/** An API key; only its hash is stored. */
export interface ApiKeyDocument extends Pick<ApiKeyRecord, "id" | "label" | "prefix" | "createdAt"> {
  /** SHA-256 of the key. */
  readonly hash: Binary;
  /** Absent until the key is first used. */
  readonly lastUsedAt?: Date | null;
  /** When the key stops working; absent until the key is rolled. */
  readonly validUntil?: Date | null;
}
