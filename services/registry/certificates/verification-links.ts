import type { ProductDisplay } from "../values/product-display.ts";
import type { Store } from "../values/store.ts";
import type { Certificate } from "./certificate.ts";
import type { StoredSample } from "./create-samples.ts";

/** The certificate or sample to which a verification link leads, with its store. */
export type LinkedPage = {
  readonly store: Store;
  /** The database's time, which determines whether a certificate has expired. */
  readonly now: Date;
  /** Undefined if the store has set none for the product. */
  readonly display: Pick<ProductDisplay, "maker" | "image"> | undefined;
} & (
  | { readonly certificate: Certificate; readonly changes: readonly PageChange[] }
  | { readonly sample: StoredSample }
);

/** The changes of a certificate that its page shows. */
export type PageChangeKind = "transferred" | "revoked" | "reactivated";

/** A change of a certificate that its page shows, without names and reasons. */
export interface PageChange {
  readonly kind: PageChangeKind;
  readonly at: Date;
}

/**
 * Finds certificates and samples by the token in their verification link. Methods throw ServiceError `not_found` for a
 * token that no link has, and `unavailable` when the database is unavailable.
 */
export interface VerificationLinks {
  findPage(linkToken: string): Promise<LinkedPage>;
  /** @throws ServiceError `not_found`, also for the token of a sample */
  findCertificate(linkToken: string): Promise<Certificate>;
}
