import type { Binary } from "mongodb";
import type { Certificate, ProductSnapshot } from "../certificates/certificate.ts";
import type { AttemptPhases } from "../deliveries/delivery.ts";
import type { OtherRole } from "../stores/rotate-secrets.ts";
import type { WebhookFormat } from "../stores/webhooks.ts";
import type { CatalogueProduct } from "../values/catalogue-product.ts";
import type { Plan, StoreSettings } from "../values/store.ts";

// The stored documents. A field may be added with a default for documents without it; no field may change its meaning,
// because documents of every earlier version must still decode.

/** A store, its settings and its clock: the document that orders all changes of the store. */
export interface StoreDocument {
  readonly _id: string;
  readonly shop: string;
  readonly settings: StoreSettings;
  readonly webhook: WebhookDocument | null;
  /** The latest time assigned as an `updatedAt`. */
  readonly clock: Date;
  /** The database's time when the clock was last advanced. */
  readonly clockReadAt: Date;
  /** The highest serial number assigned. */
  readonly lastSerial: number;
  readonly createdAt: Date;
}

/** A store's webhook. */
export interface WebhookDocument {
  readonly url: string;
  readonly format: WebhookFormat;
  /** The active signing secret, encrypted; plain in documents of the first version. Null: messages are not signed. */
  readonly secret: string | null;
  /** Absent in documents of the first version; null for the secrets taken over from them. */
  readonly secretCreatedAt?: Date | null;
  /** The other live secret, encrypted. Absent in documents of the first version; null: no rotation is in progress. */
  readonly otherSecret?: {
    readonly role: OtherRole;
    readonly secret: string;
    readonly createdAt: Date | null;
  } | null;
}

/** A store's API access. Stored apart from the store, so that API requests never wait for changes. */
export interface AccessDocument {
  /** The store's id. */
  readonly _id: string;
  readonly plan: Plan;
  readonly keys: readonly ApiKeyDocument[];
  /** The sliding-window log: times of admitted requests, oldest first. Entries that left the window go at the next decision. */
  readonly admitted: readonly Date[];
  /** The latest decision, written by the request it is about. A refusal decided by a read alone writes none. */
  readonly decision: AccessDecision | null;
}

/** A decision about an API request. */
export interface AccessDecision {
  /** The database's time; not earlier than the previous decision, unless the database's clock was set back. */
  readonly at: Date;
  readonly admitted: boolean;
  /** Whether the key was valid; absent in documents of the first version. */
  readonly keyIsValid?: boolean;
}

/** An API key; only its hash is stored. */
export interface ApiKeyDocument {
  readonly id: string;
  readonly label: string;
  /** The key's first characters; absent in documents of the first version. */
  readonly prefix?: string;
  /** SHA-256 of the key. */
  readonly hash: Binary;
  readonly createdAt: Date;
  /** Absent until the key is used, and in documents of the first version. */
  readonly lastUsedAt?: Date | null;
  /** When the key stops working; absent until it is rolled. */
  readonly validUntil?: Date | null;
}

/** A certificate. */
export interface CertificateDocument extends Omit<Certificate, "id" | "storeId" | "verifiedAt" | "issueKey"> {
  readonly _id: string;
  readonly store: string;
  /** The owner's address in its canonical form for comparison. */
  readonly ownerEmailKey: string;
  /** Absent in documents of the first version, whose verification pages were never opened. */
  readonly verifiedAt?: Date | null;
  /** Absent for a certificate issued by hand: the unique index over it is partial. */
  readonly issueKey?: string;
}

/** A sample. */
export interface SampleDocument {
  readonly _id: string;
  readonly store: string;
  readonly product: ProductSnapshot;
  readonly createdAt: Date;
}

/** A product of a store's catalogue. */
export interface ProductDocument extends Omit<CatalogueProduct, "id"> {
  readonly _id: { readonly store: string; readonly product: string };
}

/** An event in a certificate's history. */
export interface HistoryDocument {
  /** The event's id. */
  readonly _id: string;
  readonly store: string;
  readonly certificate: string;
  readonly type: number;
  readonly at: Date;
  readonly cause: string;
  readonly actor: string;
}

/** A problem that a buyer reported. */
export interface ReportDocument {
  readonly _id: string;
  readonly store: string;
  readonly certificate: string;
  /** Unique in the store. */
  readonly at: Date;
  readonly content: string;
  readonly reporterEmail: string;
}

/** The first answer to an idempotent request. */
export interface RequestDocument {
  /** The store's id, a slash and the idempotency key. */
  readonly _id: string;
  readonly fingerprint: string;
  /** JSON. */
  readonly answer: string;
  readonly at: Date;
}

/** An event that is not settled: an entry of the transactional outbox. */
export interface OutboxDocument {
  /** The event's id. */
  readonly _id: string;
  readonly store: string;
  readonly at: Date;
  readonly certificate: string;
  readonly type: number;
  /** The encoded events.v1.CertificateEvent. */
  readonly event: Binary;
  /** Absent until a relay has read the entry. */
  readonly taken?: true | null;
}

/** The claim and the outcome of one delivery. */
export interface DeliveryDocument {
  /** The event's id. */
  readonly _id: string;
  readonly store: string;
  readonly certificate: string;
  readonly type: number;
  readonly claimedBy: string;
  readonly claimedAt: Date;
  /** The operator who sent it by hand; absent for certificate events. */
  readonly requestedBy?: string;
  /** Null while the delivery is in progress. */
  readonly outcome: DeliveryOutcomeDocument | null;
}

/** How a delivery ended. */
export interface DeliveryOutcomeDocument {
  readonly kind: string;
  readonly httpStatus: number;
  readonly durationMs: number;
  readonly reason: string;
  /** Like the next two, absent in documents of the first version. */
  readonly phases?: AttemptPhases;
  readonly remoteAddress?: string;
  readonly replyExcerpt?: string;
  readonly at: Date;
}

/** A quarantined (dead-lettered) message. */
export interface QuarantineDocument {
  /** SHA-256 of the message's position and content, so that it is stored once. */
  readonly _id: string;
  readonly subject: string;
  readonly messageId: string;
  readonly data: Binary;
  readonly problem: string;
  readonly at: Date;
}

/** A lease: the exclusive right of one replica to a task. */
export interface LeaseDocument {
  /** The task. */
  readonly _id: string;
  readonly holder: string;
  readonly expiresAt: Date;
}
