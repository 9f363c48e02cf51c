import { generateListenToken, hashListenToken, listenSecretOf, listenTokenPrefix } from "#shared/keys/listen-token.ts";
import type { Clock } from "#shared/time/clock.ts";
import type { ChangeOrigin, StoreChange } from "../stores/store-history.ts";
import { newId } from "../values/identifiers.ts";

/** Maximum number of valid listen tokens per store. */
export const listenTokensMax = 5;

/** A valid listen token, without its secret part. */
export interface ListenToken {
  readonly id: string;
  readonly storeId: string;
  /** First characters of the token, by which its owner recognizes it. */
  readonly prefix: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly createdBy: string;
}

/**
 * Storage of listen tokens. Each change is one atomic step that includes an entry in the store's history. All methods
 * throw ServiceError `unavailable` when the database is unavailable.
 */
export interface ListenTokens {
  /** Returns the store's valid tokens, oldest first. */
  list(storeId: string): Promise<ListenToken[]>;
  /**
   * @param tokenHash see hashListenToken
   * @throws ServiceError `failed_precondition` when the store has {@link listenTokensMax} tokens; `not_found` for an
   * unknown store
   */
  add(token: ListenToken, tokenHash: Uint8Array, change: StoreChange): Promise<void>;
  /** @throws ServiceError `not_found` when the store has no such token */
  remove(storeId: string, tokenId: string, change: StoreChange): Promise<void>;
}

const validityMs = 24 * 3_600_000;
// As for API keys: the other 28 random characters (166 bits) stay secret.
const visibleLength = listenTokenPrefix.length + 4;

/**
 * Creates a listen token (INTERFACE.md §4.6), which is valid for a day.
 *
 * @throws ServiceError as {@link ListenTokens.add}
 */
export async function createListenToken(
  { tokens, clock }: { readonly tokens: Pick<ListenTokens, "add">; readonly clock: Clock },
  { storeId, actor, session }: ChangeOrigin,
): Promise<{ readonly token: string; readonly signingSecret: string; readonly expiresAt: Date }> {
  const token = generateListenToken();
  const id = newId("lst");
  const createdAt = new Date(clock.now());
  const expiresAt = new Date(createdAt.getTime() + validityMs);
  const prefix = token.slice(0, visibleLength);
  const change: StoreChange = { action: "listen_token.created", actor, session, details: { tokenId: id } };
  await tokens.add({ id, storeId, prefix, createdAt, expiresAt, createdBy: actor }, hashListenToken(token), change);
  return { token, signingSecret: listenSecretOf(token), expiresAt };
}
