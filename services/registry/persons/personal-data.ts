import type { DeliveryRequest } from "../deliveries/delivery.ts";
import type { PersonalFields } from "./erase-certificates.ts";

/**
 * The kinds of stored text, other than certificates and events, that can mention a person. The storefront's messages
 * come last: one of them may be the request for the erasure, which is needed until everything else is erased.
 */
export const textKinds = [
  "reports",
  "history",
  "store_history",
  "api_keys",
  "deliveries",
  "triggers",
  "answers",
  "quarantine",
  "storefront_orders",
  "storefront_messages",
] as const;

/** One of {@link textKinds}. */
export type TextKind = (typeof textKinds)[number];

/** The text fields of one stored document, by path such as `outcome.replyExcerpt`; missing fields are omitted. */
type Texts = Readonly<Record<string, string>>;

/** A stored document whose text fields can mention a person. */
export interface TextDocument {
  readonly texts: Texts;
  /** Whether a person on the document's certificate was erased; false for kinds other than deliveries and triggers. */
  readonly isOfErasedCertificate: boolean;
}

/** Returns the new values of the text fields to change in a document; undefined if there are none. */
export type RewriteTexts = (document: TextDocument) => Texts | undefined;

/** One page of a scan. */
export interface ScanPage<Item> {
  readonly items: readonly Item[];
  /** Where the next page begins; undefined after the last page. */
  readonly next: string | undefined;
}

/** The parts of a scanned certificate that can contain personal data. */
export interface CertificateParts extends PersonalFields {
  readonly id: string;
  /** The position after this certificate. */
  readonly next: string;
}

/** The queues that feed the triggers and the stream of automation events, and the copies for listeners. */
export const queueKinds = ["trigger_events", "automation_events", "listen_messages"] as const;

/** One of {@link queueKinds}. */
export type QueueKind = (typeof queueKinds)[number];

/** Which messages to remove from a page of a queue. */
export interface QueuePage {
  readonly position: string | undefined;
  readonly matches: (bytes: Uint8Array) => boolean;
  /** If false, counts without writing. */
  readonly apply: boolean;
}

/** An unsettled event with its encoded message. */
export interface PendingEvent {
  readonly request: DeliveryRequest;
  readonly bytes: Uint8Array;
}

/**
 * Storage that contains personal data. A page starts at a position that an earlier page returned, or at the beginning
 * if the position is undefined. Methods throw ServiceError `bad_request` for a malformed position, and `unavailable`
 * when the database is unavailable.
 */
export interface PersonalData {
  /** Scans a store's certificates in the order of `updatedAt`, so that certificates changed meanwhile come later. */
  scanCertificates(storeId: string, position: string | undefined): Promise<ScanPage<CertificateParts>>;
  /**
   * Deletes the store's imports with their files and rejected lines. Of an import that is running, only the file and
   * the rejected lines are deleted, so that it ends soon.
   *
   * @param before imports created at this time or later, by the database's clock, are kept; if undefined, none is kept
   * @param apply if false, only counts
   * @returns the number of imports that are left because they run or ran meanwhile: they may still issue certificates
   */
  deleteImports(storeId: string, before: Date | undefined, apply: boolean): Promise<number>;
  /** Scans a store's unsettled events. */
  scanEvents(storeId: string, position: string | undefined): Promise<ScanPage<PendingEvent>>;
  /**
   * Removes the matching messages from a page of a store's queue: events for triggers are settled as skipped, and
   * automation events and copies for listeners, who learn how many they have missed, are deleted. An event that a
   * notifier may be sending is only counted in `waitingCount`.
   */
  removeQueued(
    kind: QueueKind,
    storeId: string,
    page: QueuePage,
  ): Promise<{ readonly count: number; readonly waitingCount: number; readonly next: string | undefined }>;
  /**
   * Rewrites the text fields in a page of a store's documents. Skips a document if a field to replace changes before
   * the write.
   *
   * @param apply if false, counts without writing
   * @returns the number of documents to rewrite, and the position of the next page
   */
  rewriteTexts(
    kind: TextKind,
    storeId: string,
    options: { readonly position: string | undefined; readonly rewrite: RewriteTexts; readonly apply: boolean },
  ): Promise<{ readonly count: number; readonly next: string | undefined }>;
  /** Rewrites the text fields of these certificates' reports or history entries. */
  rewriteTextsOf(
    kind: "reports" | "history",
    storeId: string,
    certificateIds: readonly string[],
    rewrite: RewriteTexts,
  ): Promise<void>;
}
