/** The state of a certificate (INTERFACE.md §3). */
export type CertificateStatus = "active" | "revoked" | "expired";

/** A person's name and e-mail address. */
export interface Person {
  readonly name: string;
  readonly email: string;
}

/** A certificate as the API and the webhook messages contain it (INTERFACE.md §2.1). Times are ISO 8601 in UTC. */
export interface Certificate {
  /** Permanent and unique; store the certificate under this id. */
  readonly id: string;
  /** Zero-padded to at least six digits. */
  readonly serial: string;
  readonly status: CertificateStatus;
  readonly product: {
    readonly id: string;
    readonly title: string;
    readonly variant: string;
    readonly sku: string;
  };
  /** Null for a certificate without an edition number. */
  readonly edition: { readonly number: number; readonly total: number; readonly formatted: string } | null;
  /** Both are null for a certificate that was issued without an order. */
  readonly order: { readonly id: string | null; readonly name: string | null };
  readonly owner: Person;
  readonly originalBuyer: Person;
  readonly issuedAt: string;
  /** When the certificate last changed; unique within the store. */
  readonly updatedAt: string;
  /** Null if the certificate never expires. */
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
  readonly revokedReason: string | null;
  readonly verifyUrl: string;
}

/**
 * Returns the status of a copied certificate at the given time. Call it whenever you need the status: expiry leaves
 * `updatedAt` unchanged and sends no message.
 *
 * @param now default: the current time
 */
export function statusAt(
  { status, expiresAt }: Pick<Certificate, "status" | "expiresAt">,
  now: Date = new Date(),
): CertificateStatus {
  const hasExpired = status === "active" && expiresAt !== null && Date.parse(expiresAt) <= now.getTime();
  return hasExpired ? "expired" : status;
}

const statuses: readonly unknown[] = ["active", "revoked", "expired"] satisfies CertificateStatus[];

/** Returns whether a parsed JSON value is an object or an array. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

/** Checks only the members on which the consistency of a copy depends; the contract guarantees the others. */
export function isCertificate(value: unknown): value is Certificate {
  return (
    isObject(value) &&
    typeof value.id === "string" &&
    typeof value.updatedAt === "string" &&
    statuses.includes(value.status) &&
    (value.expiresAt === null || typeof value.expiresAt === "string")
  );
}
