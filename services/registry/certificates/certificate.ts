/** A certificate's status (INTERFACE.md §3). */
export type Status = "active" | "revoked" | "expired";

/** A person (INTERFACE.md §2.5). */
export interface Person {
  readonly name: string;
  readonly email: string;
}

/** Product data, frozen when the certificate is issued (INTERFACE.md §2.2). */
export interface ProductSnapshot {
  readonly id: string;
  readonly title: string;
  readonly variant: string;
  readonly sku: string;
}

/** A number in an edition (INTERFACE.md §2.3). */
export interface EditionNumber {
  /** From 1. */
  readonly number: number;
  /** The edition's size when the certificate was issued. */
  readonly total: number;
}

/** An order reference (INTERFACE.md §2.4). */
export interface OrderReference {
  /** Digits. */
  readonly id: string;
  /** Begins with `#`. */
  readonly name: string;
}

/** A certificate of authenticity. */
export interface Certificate {
  /** Stable unique identifier. */
  readonly id: string;
  /** The store that issued it. */
  readonly storeId: string;
  /** Number in the store, from 1. */
  readonly serial: number;
  /** As it was last stored: one that is stored as active may have expired since. {@link statusAt} tells what is shown. */
  readonly status: Status;
  readonly product: ProductSnapshot;
  readonly edition: EditionNumber | null;
  /** Null for a certificate issued by hand. */
  readonly order: OrderReference | null;
  readonly owner: Person;
  readonly originalBuyer: Person;
  readonly issuedAt: Date;
  /** Unique in the store, and later than every change that was visible before it. */
  readonly updatedAt: Date;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  readonly revokedReason: string | null;
  /** When its verification page was opened for the first time; null until then. */
  readonly verifiedAt: Date | null;
  /** The order unit that it stands for, so that the unit never gets a second one; null for one issued by hand. */
  readonly issueKey: string | null;
}

/** Whether a certificate's date has passed, at the very millisecond. */
export function isPastDate(certificate: Pick<Certificate, "expiresAt">, now: Date): boolean {
  return certificate.expiresAt !== null && certificate.expiresAt <= now;
}

/** The status at a point in time: only an active certificate expires, at the very millisecond of its date. */
export function statusAt(certificate: Pick<Certificate, "status" | "expiresAt">, now: Date): Status {
  return certificate.status === "active" && isPastDate(certificate, now) ? "expired" : certificate.status;
}
