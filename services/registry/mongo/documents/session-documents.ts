import type { Session } from "../../sessions/sessions.ts";

// The rules in services/registry/mongo/documents/documents.ts apply.

/** A merchant's session on a store's settings pages. */
export interface SessionDocument extends Pick<Session, "actor" | "expiresAt"> {
  /** SHA-256 of the session's token, in Base64url. */
  readonly _id: string;
  readonly store: string;
  readonly createdAt: Date;
  /** Absent until the session is revoked. */
  readonly revokedAt?: Date;
  /** Number of changes made in the session; counted in their transactions, which conflict with its revocation. */
  readonly changes?: number;
}

/** A sign-in link that has not been used; using or revoking it deletes the document. */
export interface SettingsLinkDocument extends Pick<Session, "actor" | "expiresAt"> {
  /** SHA-256 of the link's secret, in Base64url. */
  readonly _id: string;
  readonly store: string;
}

/** A storefront platform's token that was used to open a session; stored so that it cannot open another session. */
export interface PlatformTokenDocument {
  /** SHA-256 of the token's issuer and id, in Base64url. */
  readonly _id: string;
  readonly expiresAt: Date;
}
