import type { GetPageResponse, PageEdition } from "#gen/registry/v1/verification_service_pb.js";
import type { ImageReference } from "#shared/images/image.ts";

type Converted =
  | ("$typeName" | "$unknown" | "state" | "logo" | "image" | "editionParts")
  | ("issuedAt" | "expiresAt" | "revokedAt" | "changes");

/** The content of a verification page; see `GetPageResponse` in verification_service.proto. */
export interface VerificationPage extends Readonly<Omit<GetPageResponse, Converted>> {
  readonly state: PageState;
  readonly logo?: ImageReference | undefined;
  readonly image?: ImageReference | undefined;
  readonly editionParts: Readonly<Pick<PageEdition, "number" | "total" | "style">> | undefined;
  readonly issuedAt: Date;
  readonly expiresAt: Date | undefined;
  readonly revokedAt: Date | undefined;
  readonly changes: readonly PageChange[];
}

/** A change of a certificate, without names and reasons. */
interface PageChange {
  readonly kind: "transferred" | "revoked" | "reactivated";
  readonly at: Date;
}

/** The state of a certificate, as its page shows it. */
export type PageState = "active" | "revoked" | "expired" | "sample";
