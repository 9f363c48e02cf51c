import type { Store } from "../stores/store.ts";
import type { Certificate } from "./certificate.ts";

/** A certificate with its store. */
export interface FoundCertificate {
  readonly certificate: Certificate;
  readonly store: Store;
}

/** How to find a certificate of a store. */
export type CertificateSelector = { readonly certificateId: string } | { readonly serial: number };

/** One thing that happened to a certificate. */
export interface HistoryEntry {
  readonly eventId: string;
  /** An events.v1.EventType. */
  readonly type: number;
  readonly occurredAt: Date;
  readonly cause: string;
  readonly actor: string;
}

/** A problem that a buyer reported. */
export interface StoredReport {
  readonly id: string;
  readonly certificateId: string;
  readonly reportedAt: Date;
  readonly content: string;
  readonly reporterEmail: string;
}

/** Looks at single certificates and what happened to them. Throws ServiceError `unavailable` when the database is away. */
export interface CertificateLookup {
  /** @throws ServiceError `not_found`, also for another store's certificate */
  findCertificate(storeId: string, selector: CertificateSelector): Promise<FoundCertificate>;
  /** What is known of a certificate of which the caller has the id alone. @throws ServiceError `not_found` */
  findById(certificateId: string): Promise<Pick<Certificate, "storeId" | "verifiedAt">>;
  /** Oldest first. */
  readHistory(storeId: string, certificateId: string): Promise<HistoryEntry[]>;
  /** One thing that happened. @throws ServiceError `not_found`, also for another store's event */
  findEvent(storeId: string, eventId: string): Promise<HistoryEntry & { readonly certificateId: string }>;
  /** Newest first. @param before undefined: from the newest on */
  readReports(storeId: string, before: Date | undefined, countMax: number): Promise<StoredReport[]>;
}
