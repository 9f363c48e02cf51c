import type { EditionNumber } from "#shared/certificates/edition.ts";
import type { PublicCertificate } from "#shared/certificates/public-certificate.ts";

/** A certificate's status (INTERFACE.md §3). */
export type Status = PublicCertificate["status"];

/** A buyer or an owner (INTERFACE.md §2.5). */
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

/** The order for which a certificate was issued (INTERFACE.md §2.4). */
export interface OrderReference {
  /** 1 to 20 digits. */
  readonly id: string;
  /** Starts with `#`. */
  readonly name: string;
}

/** A certificate of authenticity. */
export interface Certificate {
  readonly id: string;
  /**
   * The secret in the certificate's verification link: 130 random bits, unrelated to the id, so that a leaked link can
   * be replaced.
   */
  readonly linkToken: string;
  /** The store that issued the certificate. */
  readonly storeId: string;
  /** Serial number, unique in the store, from 1. */
  readonly serial: number;
  /**
   * Stored status: a certificate stored as active may have expired since, and one stored as expired may be active,
   * because the database's clock was wrong. {@link statusAt} computes the current status.
   */
  readonly status: Status;
  readonly product: ProductSnapshot;
  readonly edition: EditionNumber | null;
  /** Null for a certificate issued without an order. */
  readonly order: OrderReference | null;
  readonly owner: Person;
  readonly originalBuyer: Person;
  readonly issuedAt: Date;
  /** Unique in the store, and later than the `updatedAt` of every change that was visible before this one. */
  readonly updatedAt: Date;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  readonly revokedReason: string | null;
  /** When the verification page was first opened; null until then. */
  readonly verifiedAt: Date | null;
  /**
   * Identifies the order unit, or the position in an import, that the certificate was issued for. A store has at most
   * one certificate per key. Null for a certificate that was issued without an order and without such a position.
   */
  readonly issueKey: string | null;
  /**
   * Whether a refund or the cancellation of the order has revoked the certificate, even if a person has reactivated it
   * since. Internal: neither the public JSON nor an event contains it.
   */
  readonly wasWithdrawn: boolean;
}

/** Returns whether `expiresAt` has been reached; the expiry millisecond itself counts as expired. */
export function hasExpired(certificate: Pick<Certificate, "expiresAt">, now: Date): boolean {
  return certificate.expiresAt !== null && certificate.expiresAt <= now;
}

/** Returns the status at a point in time. Only an active certificate expires. */
export function statusAt(certificate: Pick<Certificate, "status" | "expiresAt">, now: Date): Status {
  // A stored `expired` means that some clock had reached the date, perhaps one that was wrong.
  if (certificate.status === "revoked") return "revoked";
  return hasExpired(certificate, now) ? "expired" : "active";
}
