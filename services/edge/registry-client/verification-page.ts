/** The content of a verification page; see `GetPageResponse` in verification_service.proto. */
export interface VerificationPage {
  readonly state: PageState;
  readonly storeName: string;
  readonly logo: PageLogo | undefined;
  /** The current verification link, with the store's language in the parameter `lang`. */
  readonly verifyUrl: string;
  /** Language tag of the store's pages. */
  readonly language: string;
  readonly productTitle: string;
  /** May be empty, like all strings below. */
  readonly productVariant: string;
  readonly serial: string;
  readonly edition: string;
  readonly owner: string;
  readonly revokedReason: string;
  readonly issuedAt: Date;
  readonly expiresAt: Date | undefined;
  readonly revokedAt: Date | undefined;
  /** Whether the first opening has been recorded. */
  readonly isVerified: boolean;
}

/** The logo of a store; VerificationClient returns its image. */
export interface PageLogo {
  readonly id: string;
  /** In pixels. */
  readonly width: number;
  /** In pixels. */
  readonly height: number;
}

/** The state of a certificate, as its page shows it. */
export type PageState = "active" | "revoked" | "expired" | "sample";
