import type { AddressGuard } from "#shared/address-guard/address-guard.ts";
import { badRequest } from "#shared/errors/service-error.ts";
import { generateSigningSecret } from "#shared/keys/signing-secret.ts";
import type { Reason } from "#shared/reasons/reason.ts";
import type { RotationStep } from "../secrets/rotate-secrets.ts";
import { httpsUrlProblem } from "./https-url.ts";
import type { ChangeOrigin, StoreChange } from "./store-history.ts";
import type { SetReport, WebhookFormat, WebhookSettings, Webhooks } from "./webhooks.ts";

export interface SetWebhookDeps {
  readonly webhooks: Webhooks;
  /** Checks the URL's host without resolving it; the notifier checks the resolved addresses with the same rules. */
  readonly guard: AddressGuard;
}

/** The requested webhook. */
interface SetWebhookInput extends ChangeOrigin {
  /** The empty string removes the webhook. */
  readonly url: string;
  /** Null keeps the current format; a store without a webhook gets the default format. */
  readonly format: WebhookFormat | null;
  /** Whether a new secret replaces the live ones immediately. Receivers cannot verify messages until they have it. */
  readonly createSecret: boolean;
  /** See {@link Webhooks.set}. */
  readonly expectedVersion?: string | undefined;
}

interface SetWebhookResult extends SetReport {
  /** The new signing secret; the empty string when none was created. */
  readonly secret: string;
}

/**
 * Sets or removes a store's webhook (INTERFACE.md §4.3). Events that are claimed after the change go to the new URL.
 *
 * @throws ServiceError `bad_request` naming `url`; otherwise as {@link Webhooks}
 */
export async function setWebhook(deps: SetWebhookDeps, input: SetWebhookInput): Promise<SetWebhookResult> {
  const { webhooks, guard } = deps;
  const { storeId, url, format, expectedVersion, actor, session } = input;
  if (url === "") {
    const removed = { action: "webhook.removed" as const, actor, session, details: {} };
    return { secret: "", ...(await webhooks.set(storeId, null, removed, expectedVersion)) };
  }
  const problem = webhookUrlProblem(guard, url);
  if (problem !== undefined) throw badRequest("url", problem);
  const host = new URL(url).hostname;
  const newSecret = input.createSecret ? generateSigningSecret() : null;
  // Records only the host, because the path or the query of a webhook URL often contains a secret.
  const details = { host, ...(format && { format }), secret: newSecret === null ? "kept" : "created" };
  const change = { action: "webhook.set" as const, actor, session, details };
  const report = await webhooks.set(storeId, { url, format, newSecret }, change, expectedVersion);
  return { secret: newSecret ?? "", ...report };
}

/** A requested step of a rotation. */
interface RotateSecretInput extends ChangeOrigin {
  readonly kind: RotationStep<string>["kind"];
}

/** Returns why a URL is refused; undefined if it is valid. */
export function webhookUrlProblem(guard: AddressGuard, url: string): Reason | undefined {
  return httpsUrlProblem(url) ?? guard.hostProblem(new URL(url).hostname);
}

/**
 * Performs one step of a signing secret rotation.
 *
 * @returns the next secret (the empty string for every step but `begin`) and the webhook's settings after the step
 * @throws ServiceError as {@link Webhooks.rotateSecret}
 */
export async function rotateWebhookSecret(
  webhooks: Webhooks,
  { storeId, kind, actor, session }: RotateSecretInput,
): Promise<{ readonly secret: string; readonly webhook: WebhookSettings }> {
  const secret = kind === "begin" ? generateSigningSecret() : "";
  const step: RotationStep<string> = kind === "begin" ? { kind, next: secret } : { kind };
  const change: StoreChange = { action: "secret.rotated", actor, session, details: { step: kind } };
  return { secret, webhook: await webhooks.rotateSecret(storeId, step, change) };
}
