import { generateSigningSecret } from "#shared/keys/signing-secret.ts";
import type { RotationStep } from "./rotate-secrets.ts";
import type { WebhookSettings, Webhooks } from "./webhooks.ts";

/** The result of a rotation step. */
export interface RotationResult {
  /** The next secret, returned only here; empty for every step but `begin`. */
  readonly secret: string;
  readonly webhook: WebhookSettings;
}

/**
 * Takes one step of a rotation of a store's signing secret.
 *
 * @throws ServiceError `failed_precondition` or `conflict` for a step out of order
 */
export async function rotateWebhookSecret(
  webhooks: Webhooks,
  storeId: string,
  kind: RotationStep<string>["kind"],
): Promise<RotationResult> {
  const secret = kind === "begin" ? generateSigningSecret() : "";
  const step: RotationStep<string> = kind === "begin" ? { kind, next: secret } : { kind };
  return { secret, webhook: await webhooks.rotateSecret(storeId, step) };
}
