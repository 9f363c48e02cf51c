import { ServiceError } from "#shared/errors/service-error.ts";

/** A merchant's session on the settings pages of one store. */
export interface Session {
  readonly storeId: string;
  /** Name that the histories show for changes made in the session. */
  readonly actor: string;
  readonly expiresAt: Date;
}

/** A session, with what identifies it in storage. */
export interface NewSession extends Session {
  /** Hash of the session's token; see `secretHash`. */
  readonly tokenHash: string;
}

/** A sign-in link, which opens one session of a store. */
export interface SettingsLink extends Session {
  /** Hash of the link's secret; see `secretHash`. */
  readonly secretHash: string;
}

/** A verified token of the storefront platform, to be recorded as used. */
export interface UsedPlatformToken {
  /** Hash of the token's issuer and id; see `secretHash`. */
  readonly idHash: string;
  /** When the platform issued the token. */
  readonly issuedAt: Date;
  /** When the token expires, after which it need not be remembered. */
  readonly expiresAt: Date;
}

/**
 * Storage of sessions and of the credentials that open them: sign-in links and used platform tokens. Each change is one
 * atomic step that includes an entry in the store's history. Methods throw ServiceError `unavailable` when the database
 * is unavailable.
 */
export interface Sessions {
  /** Returns the session with this token; undefined if it does not exist, has expired or was revoked. */
  find(tokenHash: string): Promise<Session | undefined>;
  /** Stores a link. @param actor who creates the link @throws ServiceError `not_found` for an unknown store */
  addLink(link: SettingsLink, actor: string): Promise<void>;
  /** Returns the link with this secret; undefined if it was used or revoked, has expired, or never existed. */
  findLink(secretHash: string): Promise<SettingsLink | undefined>;
  /** Deletes a link and stores a session. @returns false if the link was used or revoked, or has expired */
  openByLink(secretHash: string, session: NewSession): Promise<boolean>;
  /**
   * Records a platform token as used, and that the app was installed when it was issued, and stores a session.
   *
   * @returns false if the token was used before, or if the app has been removed since the token was issued
   */
  openByPlatformToken(token: UsedPlatformToken, session: NewSession): Promise<boolean>;
  /** Revokes a session. Does nothing if the session does not exist or is no longer valid. */
  revoke(tokenHash: string): Promise<void>;
  /**
   * Revokes all sessions and unused links of a store.
   *
   * @returns the number of sessions that were valid
   * @throws ServiceError `not_found` for an unknown store
   */
  revokeAll(storeId: string, actor: string): Promise<number>;
}

/** Returns the error for a call without a valid session. */
export function signedOut(): ServiceError {
  return new ServiceError("unauthorized", "You are not signed in, or your session has ended. Sign in again.");
}
