import { ServiceError } from "#shared/errors/service-error.ts";
import type { ListenTokens } from "../listening/listen-tokens.ts";
import type { Sessions } from "../sessions/sessions.ts";
import type { ApiKeys } from "../stores/api-keys.ts";
import { storefrontActor } from "./reconcile-order.ts";
import type { Storefront, Storefronts } from "./storefront-storage.ts";

export interface CloseStoreDeps {
  readonly storefronts: Pick<Storefronts, "find" | "noteUninstalled" | "noteClosed">;
  readonly apiKeys: Pick<ApiKeys, "list" | "remove">;
  readonly listenTokens: Pick<ListenTokens, "list" | "remove">;
  readonly sessions: Pick<Sessions, "revokeAll">;
}

/** Returns whether the app was removed from the store and not installed again. */
export function isClosed({ installedAt, uninstalledAt }: Pick<Storefront, "installedAt" | "uninstalledAt">): boolean {
  return uninstalledAt !== undefined && (installedAt === undefined || installedAt <= uninstalledAt);
}

/**
 * Closes a store from which the app was removed: revokes its API keys, listen tokens, sessions and sign-in links. Has
 * no effect if the app has been installed again since, or if this removal or a later one has already been processed.
 *
 * @param at when the app was removed
 */
export async function noteAppRemoved(deps: CloseStoreDeps, storeId: string, at: Date): Promise<void> {
  const { storefronts, apiKeys, listenTokens, sessions } = deps;
  const { installedAt, uninstalledAt, isClosing } = await storefronts.find(storeId);
  const known = isClosing ? [installedAt] : [installedAt, uninstalledAt];
  if (known.some((time) => time !== undefined && time >= at)) return;
  const actor = storefrontActor;
  // Before the sessions, so that each session of the platform is revoked here or refused when it is opened.
  await storefronts.noteUninstalled(storeId, at);
  // Before the keys, because an open session could create another key. No change in a revoked session is stored.
  await sessions.revokeAll(storeId, actor);
  for (const { id: keyId } of await apiKeys.list(storeId))
    await unlessGone(apiKeys.remove(storeId, keyId, { action: "key.revoked", actor, details: { keyId } }));
  for (const { id: tokenId } of await listenTokens.list(storeId))
    await unlessGone(
      listenTokens.remove(storeId, tokenId, { action: "listen_token.revoked", actor, details: { tokenId } }),
    );
  // Last, so that a call that is repeated after a crash still revokes everything.
  await storefronts.noteClosed(storeId, at);
}

/**
 * Records that the app was installed when the platform issued a session token, unless the app has been removed since.
 *
 * @returns false if the app has been removed since then: the token must not open a session
 */
export async function noteSignIn(
  storefronts: Pick<Storefronts, "find" | "noteInstalled">,
  storeId: string,
  issuedAt: Date,
): Promise<boolean> {
  const { uninstalledAt } = await storefronts.find(storeId);
  if (uninstalledAt !== undefined && issuedAt <= uninstalledAt) return false;
  await storefronts.noteInstalled(storeId, issuedAt);
  return true;
}

/** Waits for a removal; what another call has removed is removed, too. */
async function unlessGone(removal: Promise<void>): Promise<void> {
  try {
    await removal;
  } catch (error) {
    if (!(error instanceof ServiceError && error.code === "not_found")) throw error;
  }
}
