import type { Binary } from "mongodb";
import type {
  EditionNumber,
  OrderReference,
  Person,
  ProductSnapshot,
  Status,
} from "../certificates/certificate.ts";
import type { EditionStyle } from "../certificates/edition.ts";
import type { AttemptPhases } from "../deliveries/attempt-phases.ts";
import type { CatalogueVariant } from "../stores/catalogue.ts";
import type { OtherRole } from "../stores/rotate-secrets.ts";
import type { Plan, WebhookFormat } from "../stores/store.ts";

// The documents as they lie in the database. A field may be added with a default for documents without it; none may
// change its meaning: documents of every earlier version must still decode.

/** A store, its settings and its clock: the document that orders all changes of the store. */
export interface StoreDocument {
  readonly _id: string;
  readonly shop: string;
  readonly settings: {
    readonly editionStyle: EditionStyle;
    readonly verifyBaseUrl: string | null;
    readonly language: string;
  };
  readonly webhook: WebhookDocument | null;
  /** The latest time that is given away as an `updatedAt`. */
  readonly clock: Date;
  /** The database's time when the clock was last advanced. */
  readonly clockReadAt: Date;
  /** The highest serial number given away. */
  readonly lastSerial: number;
  readonly createdAt: Date;
}

/** Where a store's events are sent. */
export interface WebhookDocument {
  readonly url: string;
  readonly format: WebhookFormat;
  /** The active signing secret, sealed; in documents of the first version the secret itself. Null: messages are not signed. */
  readonly secret: string | null;
  /** Absent in documents of the first version; null beside their secrets. */
  readonly secretCreatedAt?: Date | null;
  /** The other live secret, sealed. Absent in documents of the first version; null while no rotation is under way. */
  readonly otherSecret?: {
    readonly role: OtherRole;
    readonly secret: string;
    readonly createdAt: Date | null;
  } | null;
}

/** Who may use the API, and how often: apart from the store, so that API requests never wait for changes. */
export interface AccessDocument {
  /** The store's id. */
  readonly _id: string;
  readonly plan: Plan;
  readonly keys: readonly ApiKeyDocument[];
  /** When the requests of the window were admitted, oldest first; what has left it since the latest decision is still there. */
  readonly admitted: readonly Date[];
  /** The latest decision, written by the request that it was for; a refusal for which reading was enough writes none. */
  readonly decision: AccessDecision | null;
}

/** A decision about a request. */
export interface AccessDecision {
  /** By the database's clock; never earlier than the one before it, unless that clock was set back. */
  readonly at: Date;
  readonly admitted: boolean;
  /** Whether the key's time had not ended; absent in documents of the first version. */
  readonly keyIsValid?: boolean;
}

/** An API key: only its hash is stored. */
export interface ApiKeyDocument {
  readonly id: string;
  readonly label: string;
  /** Its first characters; absent in documents of the first version. */
  readonly prefix?: string;
  /** SHA-256 of the key. */
  readonly hash: Binary;
  readonly createdAt: Date;
  /** Absent while the key was not used, and in documents of the first version. */
  readonly lastUsedAt?: Date | null;
  /** When it stops working; absent until it is rolled. */
  readonly validUntil?: Date | null;
}

/** A certificate. */
export interface CertificateDocument {
  readonly _id: string;
  readonly store: string;
  readonly serial: number;
  readonly status: Status;
  readonly product: ProductSnapshot;
  readonly edition: EditionNumber | null;
  readonly order: OrderReference | null;
  readonly owner: Person;
  /** The owner's address in the form in which addresses are compared. */
  readonly ownerEmailKey: string;
  readonly originalBuyer: Person;
  readonly issuedAt: Date;
  readonly updatedAt: Date;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  readonly revokedReason: string | null;
  /** Absent in documents of the first version, whose certificates were not opened yet. */
  readonly verifiedAt?: Date | null;
  /** Absent for a certificate issued by hand: the index over it is partial. */
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
export interface ProductDocument {
  readonly _id: { readonly store: string; readonly product: string };
  readonly title: string;
  readonly variants: readonly CatalogueVariant[];
  readonly editionTotal: number | null;
  readonly editionIssued: number;
}

/** One thing that happened to a certificate. */
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

/** The first answer to a request that may be repeated. */
export interface RequestDocument {
  /** The store's id, a slash, the request's id: a store's id holds no slash. */
  readonly _id: string;
  readonly fingerprint: string;
  /** JSON. */
  readonly answer: string;
  readonly at: Date;
}

/** An event whose delivery is not settled. */
export interface OutboxDocument {
  /** The event's id. */
  readonly _id: string;
  readonly store: string;
  readonly at: Date;
  readonly certificate: string;
  readonly type: number;
  /** The encoded events.v1.CertificateEvent. */
  readonly event: Binary;
  /** Absent until a relay knows of it. */
  readonly taken?: true | null;
}

/** What became of an event on its way to the store's webhook. */
export interface DeliveryDocument {
  /** The event's id. */
  readonly _id: string;
  readonly store: string;
  readonly certificate: string;
  readonly type: number;
  readonly claimedBy: string;
  readonly claimedAt: Date;
  /** Who wished it to be sent; absent for what happened. */
  readonly requestedBy?: string;
  /** Null while the delivery is under way. */
  readonly outcome: DeliveryOutcomeDocument | null;
}

/** How a delivery ended. */
export interface DeliveryOutcomeDocument {
  readonly kind: string;
  readonly httpStatus: number;
  readonly durationMs: number;
  readonly reason: string;
  /** This and the next two are absent in documents of the first version. */
  readonly phases?: AttemptPhases;
  readonly remoteAddress?: string;
  readonly replyExcerpt?: string;
  readonly at: Date;
}

/** A message that a notifier could not read. */
export interface QuarantineDocument {
  /** SHA-256 of where it came from and what it is: kept once. */
  readonly _id: string;
  readonly subject: string;
  readonly messageId: string;
  readonly data: Binary;
  readonly problem: string;
  readonly at: Date;
}

/** The right to do what only one replica may do at a time. */
export interface LeaseDocument {
  /** What the lease is for. */
  readonly _id: string;
  readonly holder: string;
  readonly expiresAt: Date;
}
