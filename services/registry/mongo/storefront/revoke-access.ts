import { storefrontActor as actor } from "../../storefront/reconcile-order.ts";
import type { StoreChange } from "../../stores/store-history.ts";
import type { ApiKeyDocument } from "../documents/access-documents.ts";
import type { Collections } from "../documents/collections.ts";
import { keysOf } from "../documents/compound-key.ts";
import { type RevokeOptions, revokeSessions } from "../sessions/revoke-sessions.ts";

/** What gives access to a store, and the requests for images that merchants have made. */
export type AccessCollections = Pick<
  Collections,
  "access" | "imageRequests" | "listenTokens" | "sessions" | "settingsLinks"
>;

/**
 * Revokes a store's API keys, listen tokens, sessions and sign-in links as part of a transaction, and deletes the
 * requests for images. What a merchant is creating in a session conflicts with the session's revocation.
 *
 * @returns the changes, for the store's history
 */
export async function revokeAccess(
  collections: AccessCollections,
  storeId: string,
  options: RevokeOptions,
): Promise<StoreChange[]> {
  const { session, now, createdUntil } = options;
  const { access, imageRequests, listenTokens } = collections;
  const isConcerned = (createdAt: Date) => createdUntil === undefined || createdAt <= createdUntil;
  await revokeSessions(collections, storeId, options);

  const { keys = [] } = (await access.findOne({ _id: storeId }, { session, projection: { keys: 1 } })) ?? {};
  const isValid = ({ validUntil }: ApiKeyDocument) => !validUntil || validUntil > now;
  // Expired ones are deleted as well, because they would be valid again after the clock was set back.
  const concerned = keys.filter(({ createdAt }) => isConcerned(createdAt));
  const ids = concerned.map(({ id }) => id);
  if (ids.length > 0) await access.updateOne({ _id: storeId }, { $pull: { keys: { id: { $in: ids } } } }, { session });
  const keyIds = concerned.filter(isValid).map(({ id }) => id);

  // The store's document keeps `listenUntil`: each change of a certificate writes that document, so a removal that also
  // did could conflict with a running import until its time is over. Copies that nobody can read end within a day.
  const tokens = await listenTokens.find({ store: storeId }, { session }).toArray();
  const ended = tokens.filter(({ createdAt }) => isConcerned(createdAt));
  if (ended.length > 0) await listenTokens.deleteMany({ _id: { $in: ended.map(({ _id }) => _id) } }, { session });
  const revoked = ended.filter(({ expiresAt }) => expiresAt > now);

  const requestedAt = createdUntil && { requestedAt: { $lte: createdUntil } };
  await imageRequests.deleteMany({ ...keysOf(storeId), ...requestedAt }, { session });
  return [
    { action: "sessions.revoked", actor, details: {} },
    ...keyIds.map((keyId): StoreChange => ({ action: "key.revoked", actor, details: { keyId } })),
    ...revoked.map(
      ({ token }): StoreChange => ({ action: "listen_token.revoked", actor, details: { tokenId: token } }),
    ),
  ];
}
