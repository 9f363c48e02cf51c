import { generateSigningSecret } from "#shared/keys/signing-secret.ts";
import type { RotationStep } from "./rotate-secrets.ts";
import type { WebhookSettings, Webhooks } from "./webhooks.ts";

/** What a step of a rotation did. */
export interface RotationResult {
  /** The next secret, which is shown only now; empty for every step but `begin`. */
  readonly secret: string;
  readonly webhook: WebhookSettings;
}

/**
 * Takes one step of replacing a store's signing secret without a gap.
 *
 * @throws ServiceError `failed_precondition` or `conflict` for a step that does not come next
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
