import type { EditionStyle } from "#gen/registry/v1/store_admin_service_pb.js";
import type { EditionNumber } from "#shared/certificates/edition.ts";
import type { ImageReference } from "#shared/images/image.ts";

/** The content of a verification page; see `GetPageResponse` in verification_service.proto. */
export interface VerificationPage {
  readonly state: PageState;
  readonly storeName: string;
  /** The store's domain. */
  readonly shop: string;
  readonly logo?: ImageReference | undefined;
  /** The product's image. */
  readonly image?: ImageReference | undefined;
  /** The current verification link, with the store's language in the parameter `lang`. */
  readonly verifyUrl: string;
  /** Language tag of the store's pages. */
  readonly language: string;
  readonly productTitle: string;
  /** May be empty, like all strings below. */
  readonly productVariant: string;
  /** Name of the product's maker. */
  readonly maker: string;
  readonly serial: string;
  readonly edition: string;
  /** The parts of `edition`; undefined if there is none. */
  readonly editionParts: PageEdition | undefined;
  readonly owner: string;
  readonly revokedReason: string;
  readonly issuedAt: Date;
  readonly expiresAt: Date | undefined;
  readonly revokedAt: Date | undefined;
  /** The latest changes, oldest first. */
  readonly changes: readonly PageChange[];
  /** Whether the first opening has been recorded. */
  readonly isVerified: boolean;
}

/** An edition number, and how the store shows it. */
interface PageEdition extends EditionNumber {
  readonly style: EditionStyle;
}

/** A change of a certificate, without names and reasons. */
export interface PageChange {
  readonly kind: "transferred" | "revoked" | "reactivated";
  readonly at: Date;
}

/** The state of a certificate, as its page shows it. */
export type PageState = "active" | "revoked" | "expired" | "sample";
