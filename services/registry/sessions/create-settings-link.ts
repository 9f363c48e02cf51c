import { badRequest } from "#shared/errors/service-error.ts";
import { textLimits } from "#shared/text/text-limits.ts";
import type { Clock } from "#shared/time/clock.ts";
import { checkText } from "../values/text-rules.ts";
import { generateLinkSecret, secretHash } from "./session-secrets.ts";
import type { Sessions } from "./sessions.ts";

/** How long a sign-in link can be used, in milliseconds. */
export const settingsLinkLifeMs = 15 * 60_000;

interface SettingsLinkDeps {
  readonly sessions: Pick<Sessions, "addLink">;
  /** Base URL of the settings, without a trailing slash. */
  readonly settingsUrl: string;
  /** Follows the database's clock, because another replica may open the session. */
  readonly clock: Clock;
}

/** A request for a settings link. */
interface SettingsLinkInput {
  readonly storeId: string;
  /** The actor that histories and logs show for the link's user; if empty, `createdBy`. */
  readonly actor: string;
  /** The actor that the store's history records as the creator of the link. */
  readonly createdBy: string;
}

/**
 * Creates a link that opens a store's settings once, within 15 minutes.
 *
 * @throws ServiceError `bad_request` if `actor` is invalid or contains an e-mail address; `not_found` for an unknown
 * store
 */
export async function createSettingsLink(
  { sessions, settingsUrl, clock }: SettingsLinkDeps,
  { storeId, actor, createdBy }: SettingsLinkInput,
): Promise<{ readonly url: string; readonly expiresAt: Date }> {
  if (actor !== "") checkText("actor", actor, textLimits.actor);
  // Actors appear in logs and in the details of a store's history, which an erasure does not rewrite.
  if (/[^\s@]@[^\s@]/.test(actor)) throw badRequest("actor", "must not contain an e-mail address");
  const secret = generateLinkSecret();
  const expiresAt = new Date(clock.now() + settingsLinkLifeMs);
  const user = actor === "" ? createdBy : actor;
  await sessions.addLink({ storeId, actor: user, expiresAt, secretHash: secretHash(secret) }, createdBy);
  return { url: `${settingsUrl}/sign-in/${secret}`, expiresAt };
}
