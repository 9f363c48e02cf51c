import type { Store } from "../values/store.ts";
import type { Certificate } from "./certificate.ts";
import type { QuietChange } from "./store-draft.ts";

/** A certificate, its store and the time at which they were read. */
export interface FoundCertificate {
  readonly certificate: Certificate;
  readonly store: Store;
  /** The database's time, which determines whether the certificate has expired. */
  readonly now: Date;
}

/** Identifies a certificate within a store. */
export type CertificateSelector = { readonly certificateId: string } | { readonly serial: number };

/** An event in a certificate's history, or a change without an event. */
export interface HistoryEntry {
  /** The empty string for a change without an event. */
  readonly eventId: string;
  /** An events.v1.EventType; 0 for a change without an event. */
  readonly type: number;
  /** Name of a change without an event; the empty string for an event. */
  readonly change: QuietChange | "";
  readonly occurredAt: Date;
  readonly cause: string;
  readonly actor: string;
}

/** An event, and the certificate that it concerns. */
export interface FoundEvent extends HistoryEntry {
  readonly certificateId: string;
}

/** What lists show of a certificate. */
export interface CertificateLabel {
  readonly serial: number;
  readonly productTitle: string;
}

/** The number of entries of a certificate's history that are read: buyers' reports add up to ten a day. */
export const historyEntriesMax = 10_000;

/**
 * Reads single certificates and their history. Methods throw ServiceError `unavailable` when the database is
 * unavailable.
 */
export interface CertificateLookup {
  /** @throws ServiceError `not_found`, also for another store's certificate */
  findCertificate(storeId: string, selector: CertificateSelector): Promise<FoundCertificate>;
  /** Returns what lists show of certificates, by id; without ids that the store does not have. */
  labelsOf(storeId: string, certificateIds: readonly string[]): Promise<ReadonlyMap<string, CertificateLabel>>;
  /** Finds a certificate of any store by its id. @throws ServiceError `not_found` */
  findById(certificateId: string): Promise<Certificate>;
  /**
   * Returns the newest {@link historyEntriesMax} entries of a certificate's history, oldest first; an empty array for
   * an unknown certificate.
   */
  readHistory(storeId: string, certificateId: string): Promise<HistoryEntry[]>;
  /** Returns the id of the store's certificate with a serial number; undefined if there is none. */
  findId(storeId: string, serial: number): Promise<string | undefined>;
  /** Returns those of the events that the store has, by id. */
  findEvents(storeId: string, eventIds: readonly string[]): Promise<ReadonlyMap<string, FoundEvent>>;
  /** @throws ServiceError `not_found`, also for another store's event */
  findEvent(storeId: string, eventId: string): Promise<FoundEvent>;
}
