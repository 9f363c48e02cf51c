import { ServiceError, unlessNotFound } from "#shared/errors/service-error.ts";
import { textLimits } from "#shared/text/text-limits.ts";
import type { Clock } from "#shared/time/clock.ts";
import type { StoreDirectory } from "../stores/store-directory.ts";
import type { VerifyPlatformToken } from "./platform-token.ts";
import { generateSessionToken, secretHash } from "./session-secrets.ts";
import type { NewSession, Session, Sessions } from "./sessions.ts";

export interface OpenSessionDeps {
  readonly sessions: Sessions;
  readonly stores: Pick<StoreDirectory, "findStore">;
  /** Undefined if no storefront platform is configured. */
  readonly verifyPlatformToken: VerifyPlatformToken | undefined;
  /** How long a session is valid, in milliseconds. */
  readonly sessionLifeMs: number;
  /** Follows the database's clock, because other replicas compare when sessions expire. */
  readonly clock: Clock;
}

/** Run what a sign-in does in the database, each as soon as there is a place for it. */
interface SignInPlaces {
  readonly read: <T>(work: () => Promise<T>) => Promise<T>;
  readonly change: <T>(storeId: string, work: () => Promise<T>) => Promise<T>;
}

/** A credential for signing in: the secret of a sign-in link, or a session token of the storefront platform. */
export type SignInProof = { readonly linkSecret: string } | { readonly platformToken: string };

/** A new session and its token. Only the hash of the token is stored. */
interface OpenedSession extends Session {
  readonly token: string;
}

/**
 * Opens a session for the store that a credential identifies. A credential opens at most one session.
 *
 * @throws ServiceError `unauthorized` for a credential that is not valid or was used, or if the app was removed after
 * the platform token was issued; `unavailable` while the database or the platform's keys are unavailable
 */
export async function openSession(
  deps: OpenSessionDeps,
  proof: SignInProof,
  places: SignInPlaces,
): Promise<OpenedSession> {
  const token = generateSessionToken();
  const expiresAt = new Date(deps.clock.now() + deps.sessionLifeMs);
  const tokenHash = secretHash(token);
  const session =
    "linkSecret" in proof
      ? await openByLink(deps, proof.linkSecret, { tokenHash, expiresAt }, places)
      : await openByPlatform(deps, proof.platformToken, { tokenHash, expiresAt }, places);
  if (session === undefined) throw proofRefused(proof);
  return { token, storeId: session.storeId, actor: session.actor, expiresAt };
}

type Unowned = Pick<NewSession, "tokenHash" | "expiresAt">;

async function openByLink({ sessions }: OpenSessionDeps, secret: string, unowned: Unowned, places: SignInPlaces) {
  const hash = secretHash(secret);
  const link = await places.read(() => sessions.findLink(hash));
  if (link === undefined) return undefined;
  const session = { ...unowned, storeId: link.storeId, actor: link.actor };
  return (await places.change(link.storeId, () => sessions.openByLink(hash, session))) ? session : undefined;
}

async function openByPlatform(deps: OpenSessionDeps, platformToken: string, unowned: Unowned, places: SignInPlaces) {
  const { sessions, stores, verifyPlatformToken, clock } = deps;
  // Without a place: the platform's keys may take seconds, and sessions do not wait for them.
  const token = await verifyPlatformToken?.(platformToken, new Date(clock.now()));
  if (token === undefined) return undefined;
  const store = await places.read(() => unlessNotFound(stores.findStore({ shop: token.shop })));
  if (store === undefined) return undefined;
  const actor = `platform user ${token.user}`.slice(0, textLimits.actor.max);
  const session = { ...unowned, storeId: store.id, actor };
  const { issuedAt, expiresAt } = token;
  const used = { idHash: secretHash(`${token.issuer}\n${token.id}`), issuedAt, expiresAt };
  return (await places.change(store.id, () => sessions.openByPlatformToken(used, session))) ? session : undefined;
}

function proofRefused(proof: SignInProof): ServiceError {
  const message =
    "linkSecret" in proof
      ? "The sign-in link is not valid: it may have expired or already been used. Ask for a new one."
      : "The platform's session token is not valid or has already been used, or the app is not installed in your " +
        "store. Check that the app is installed, then open it from the platform again.";
  return new ServiceError("unauthorized", message);
}
