import type { ClientSession } from "mongodb";
import { settingsLinkLifeMs } from "../../sessions/create-settings-link.ts";
import type { Collections } from "../documents/collections.ts";

/** A revocation as part of a transaction. */
export interface RevokeOptions {
  readonly session: ClientSession;
  /** By the database's clock. */
  readonly now: Date;
  /** Only what was created until then is revoked; undefined: everything. */
  readonly createdUntil?: Date | undefined;
}

/**
 * Revokes a store's sessions as part of a transaction, and deletes its unused links.
 *
 * @returns the number of revoked sessions
 */
export async function revokeSessions(
  { sessions, settingsLinks }: Pick<Collections, "sessions" | "settingsLinks">,
  store: string,
  { session, now, createdUntil }: RevokeOptions,
): Promise<number> {
  const linkExpiry = createdUntil && new Date(createdUntil.getTime() + settingsLinkLifeMs);
  await settingsLinks.deleteMany({ store, ...(linkExpiry && { expiresAt: { $lte: linkExpiry } }) }, { session });
  const isOpen = { store, expiresAt: { $gt: now }, revokedAt: { $exists: false } };
  const isConcerned = createdUntil && { createdAt: { $lte: createdUntil } };
  const filter = { ...isOpen, ...isConcerned };
  return (await sessions.updateMany(filter, { $set: { revokedAt: now } }, { session })).matchedCount;
}
