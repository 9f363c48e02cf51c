/** A certificate's public JSON (INTERFACE.md §2.1), as in list responses and in webhook messages of format v2. */
export interface PublicCertificate {
  readonly id: string;
  /** At least six decimal digits, with leading zeros if necessary. */
  readonly serial: string;
  readonly status: "active" | "revoked" | "expired";
  readonly product: {
    readonly id: string;
    readonly title: string;
    readonly variant: string;
    readonly sku: string;
  };
  readonly edition: { readonly number: number; readonly total: number; readonly formatted: string } | null;
  readonly order: { readonly id: string | null; readonly name: string | null };
  readonly owner: { readonly name: string; readonly email: string };
  readonly originalBuyer: { readonly name: string; readonly email: string };
  /** All times are ISO 8601 in UTC, with milliseconds. */
  readonly issuedAt: string;
  readonly updatedAt: string;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
  readonly revokedReason: string | null;
  readonly verifyUrl: string;
}
