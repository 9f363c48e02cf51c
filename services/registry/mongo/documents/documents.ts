import type { Binary } from "mongodb";
import type { ImageReference } from "#shared/images/image.ts";
import type { Certificate } from "../../certificates/certificate.ts";
import type { StoredSample } from "../../certificates/create-samples.ts";
import type { ProblemReport } from "../../certificates/problem-report.ts";
import type { JsonParts } from "../../certificates/public-json.ts";
import type { QuietChange, RequestAnswer } from "../../certificates/store-draft.ts";
import type { QuarantinedMessage } from "../../deliveries/quarantine.ts";
import type { StoredSecret } from "../../secrets/rotate-secrets.ts";
import type { Webhook } from "../../stores/webhooks.ts";
import type { Trigger } from "../../triggers/trigger.ts";
import type { CatalogueProduct } from "../../values/catalogue-product.ts";
import type { StoreSettings } from "../../values/store.ts";
import type { DeliveryOutcomeDocument } from "./outcome-documents.ts";

// The stored documents. From the first release on, documents of every released version must decode: a new field then
// needs a default for documents that lack it, and no field may change its meaning.

/** A store, its settings and its clock: the document that orders all changes of the store. */
export interface StoreDocument {
  readonly _id: string;
  readonly shop: string;
  readonly settings: StoreSettings;
  /** Number of changes of the settings; absent means 0. */
  readonly settingsVersion?: number;
  readonly webhook: WebhookDocument | null;
  /** The store's clock: no `updatedAt` assigned so far is later. */
  readonly clock: Date;
  /** The clock before it was last advanced; absent in new stores. */
  readonly previousClock?: Date;
  /** The database's time when the clock was last advanced. */
  readonly clockReadAt: Date;
  /** The highest serial number assigned, or skipped after a restore. */
  readonly lastSerial: number;
  readonly createdAt: Date;
  /** How often an erasure has rewritten the store's messages; absent means 0. */
  readonly erasures?: number;
  /** When the store's last listen token expires; absent if there is none. */
  readonly listenUntil?: Date;
  /** The number of the last message for listeners; absent means 0. */
  readonly listened?: number;
  /** The enabled workflow triggers; absent in stores that never had one. */
  readonly triggers?: readonly EnabledTrigger[];
}

/**
 * An enabled trigger, as listed in the store's document. A certificate change queues its event for each listed trigger
 * that receives the event's type.
 */
export type EnabledTrigger = Pick<Trigger, "id" | "events">;

/** A store's webhook and its live signing secrets; part of {@link StoreDocument}. */
export type WebhookDocument = Webhook<StoredSecret>;

/**
 * The version of a certificate's renderer, the `updatedAt` of the state that it rendered, and the public JSON. It is
 * used only if version and state are current: another release stores its own version, or keeps this field unchanged
 * when it changes the certificate.
 */
export type StoredJson = readonly [rendererVersion: number, updatedAt: Date, ...parts: JsonParts];

/**
 * A certificate. For a field that documents of a released version lack, omit it from `Certificate` and redeclare it as
 * optional.
 */
export interface CertificateDocument extends Omit<Certificate, "id" | "storeId" | "issueKey" | "wasWithdrawn"> {
  readonly _id: string;
  readonly store: string;
  /** The owner's e-mail address in the canonical form used for comparison. */
  readonly ownerEmailKey: string;
  /** The words by which a search finds the certificate, sorted. */
  readonly words: readonly string[];
  /** The public JSON, so that the list need not render it. */
  readonly json: StoredJson;
  /** Absent if `Certificate.issueKey` is null; the unique index on this field is therefore partial. */
  readonly issueKey?: string;
  /** Absent if false. */
  readonly wasWithdrawn?: true;
}

/** A sample: a preview of a product's certificate. */
export interface SampleDocument extends Pick<StoredSample, "product" | "createdAt"> {
  readonly _id: string;
  readonly store: string;
}

/** A product in a store's catalogue. */
export interface ProductDocument extends Omit<CatalogueProduct, "id"> {
  readonly _id: { readonly store: string; readonly product: string };
}

/** The image of a store's logo. */
export interface LogoDocument {
  readonly _id: string;
  readonly store: string;
  /** WebP, at most 16 KiB. */
  readonly content: Binary;
}

/** What verification pages show of a product; without maker and image, there is no document. */
export interface ProductDisplayDocument {
  readonly _id: { readonly store: string; readonly product: string };
  readonly title: string;
  /** May be empty. */
  readonly maker: string;
  /** The content is WebP, at most 48 KiB. */
  readonly image: (ImageReference & { readonly content: Binary }) | null;
}

/** The numbering of an edition that does not belong to a catalogue product. */
export interface EditionSeriesDocument {
  /** The compoundKey of the store's id and the edition's name. */
  readonly _id: string;
  /** The highest number assigned. */
  readonly issued: number;
}

/** An event in a certificate's history, or a change without an event. */
export interface HistoryDocument {
  /** The event's id; for a change without an event, an id with the prefix `chg_`. */
  readonly _id: string;
  readonly store: string;
  readonly certificate: string;
  /** The event's type; 0 for a change without an event. */
  readonly type: number;
  /** Name of a change without an event; absent for an event. */
  readonly change?: QuietChange;
  readonly at: Date;
  readonly cause: string;
  readonly actor: string;
}

/** An administrative change to a store. */
export interface StoreHistoryDocument {
  readonly _id: string;
  readonly store: string;
  readonly at: Date;
  readonly action: string;
  readonly actor: string;
  readonly details: readonly { readonly name: string; readonly value: string }[];
}

/** A problem that a buyer reported. */
export interface ReportDocument extends Pick<ProblemReport, "kind" | "content" | "reporterEmail"> {
  readonly _id: string;
  readonly store: string;
  readonly certificate: string;
  /** When the problem was reported; unique within the store. */
  readonly at: Date;
  /** The database's time of the change; the store's clock can be ahead of it. */
  readonly storedAt: Date;
  /** When and by whom the report was closed; absent while it is open. */
  readonly closed?: { readonly at: Date; readonly by: string };
}

/** The first answer to an idempotent request, or the request's progress. */
export interface RequestDocument extends RequestAnswer {
  /** The store's id, a slash and the idempotency key. */
  readonly _id: string;
  readonly at: Date;
}

/** An entry of the transactional outbox: an event or a manual send whose delivery is not settled. */
export interface OutboxDocument {
  /** The id of the event or of the manual send. */
  readonly _id: string;
  readonly store: string;
  /** The store's partition, so that a relay reads only the entries of its partitions. */
  readonly partition: number;
  readonly at: Date;
  /** The database's time of the change. `at` follows the store's clock, which is ahead after a set-back. */
  readonly storedAt: Date;
  readonly certificate: string;
  readonly type: number;
  /** The encoded events.v1.CertificateEvent. */
  readonly event: Binary;
  /** The change's W3C `traceparent`; absent if the trace is not recorded. */
  readonly traceparent?: string;
  /** Set once a relay has read the entry; absent in a new entry. */
  readonly taken?: true | null;
  /** How often a transaction that stored its message in quarantine has changed the entry; absent at first. */
  readonly quarantines?: number;
}

/** The claim and the outcome of one delivery. */
export interface DeliveryDocument {
  /** The id of the event or of the manual send. */
  readonly _id: string;
  readonly store: string;
  readonly certificate: string;
  readonly type: number;
  readonly claimedBy: string;
  readonly claimedAt: Date;
  /** The operator, or the merchant signed in to the settings, who sent the message manually; absent for an event. */
  readonly requestedBy?: string;
  /** Token of the attempt that made the claim; absent if none was sent. */
  readonly attemptToken?: string;
  /** Null while the delivery is in progress. */
  readonly outcome: DeliveryOutcomeDocument | null;
  /**
   * Whether the event was sent again, and that redelivery is in progress or was delivered; absent or null: no. Apart
   * from `resentAs`, because an index can only sort what continues few values.
   */
  readonly resent?: boolean | null;
  /** The id of the latest such redelivery; absent if `resent` is. */
  readonly resentAs?: string;
}

/** A quarantined (dead-lettered) message. */
export interface QuarantineDocument extends Pick<QuarantinedMessage, "subject" | "messageId" | "problem"> {
  /** SHA-256 of the message's subject, stream sequence and content, so that a message is stored only once. */
  readonly _id: string;
  readonly data: Binary;
  readonly at: Date;
}

/** The progress of a document migration. */
export interface MigrationDocument {
  /** The migration's id. */
  readonly _id: string;
  /** Where the next batch begins; null at the start of a pass. */
  readonly position: string | null;
  /** Whether the pass is the last one: it began after all replicas of earlier versions had stopped. */
  readonly isLastPass: boolean;
  /** Number of documents changed in all passes. */
  readonly changedCount: number;
  /** Null until the migration is finished. */
  readonly finishedAt: Date | null;
}

/** A restore of the database from a backup. */
export interface RestoreDocument {
  /** The epoch of the events since the restore. */
  readonly _id: string;
  readonly at: Date;
  /** Counts the restores from 1, because their order must not depend on a clock. */
  readonly number: number;
  /** Whether events from before the restore are sent (`send`) or settled as interrupted (`interrupt`). */
  readonly pending: "interrupt" | "send";
  /** Present while automation events are held since this restore. */
  readonly holdsAutomation?: true;
}

/** A running registry, stored so that other replicas can end its transactions after it has been killed. */
export interface ReplicaDocument {
  /** Random; a restarted registry is a new replica. */
  readonly _id: string;
  /** The heartbeat: a counter that each write of this document increments. */
  readonly beat: number;
  /** See services/registry/mongo/migrations/migration.ts. */
  readonly documentVersion: number;
  /** Whether the replica publishes automation events. */
  readonly publishesAutomationEvents: boolean;
  /** The ids of the database sessions in which the replica changes certificates or stores. */
  readonly sessions: readonly Binary[];
  /** The database's time of the heartbeat. */
  readonly at: Date;
}

/** The outbox's low-water mark. */
export interface MarkDocument {
  readonly _id: "outbox";
  /** A time before which no entry is new; null if no such time is known. */
  readonly from: Date | null;
  /** How often the mark was reset because the database's clock was set back. */
  readonly resets: number;
  /** The latest database time since the last reset. */
  readonly clock: Date;
  /** The database's time when the last advance of the mark began. */
  readonly readAt: Date;
}
