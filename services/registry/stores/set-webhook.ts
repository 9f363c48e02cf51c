import { badRequest } from "#shared/errors/service-error.ts";
import { generateSigningSecret } from "#shared/keys/signing-secret.ts";
import { httpsUrlProblem } from "./https-url.ts";
import type { WebhookFormat } from "./store.ts";
import type { Webhooks } from "./webhooks.ts";

/** How a store's webhook is to be. */
export interface SetWebhookInput {
  readonly storeId: string;
  /** Empty removes the webhook. */
  readonly url: string;
  readonly format: WebhookFormat;
  /** A new signing secret takes the place of the present ones at once: there is a gap until receivers know it. */
  readonly createSecret: boolean;
}

/** What setting a webhook did. */
export interface SetWebhookResult {
  /** The new signing secret; empty when none was asked for. */
  readonly secret: string;
  /** Whether a secret that receivers may know signs no more. */
  readonly replacedSecret: boolean;
}

/**
 * Sets or removes a store's webhook (interface specification §4.3). Events that have not been sent yet go where it points now.
 *
 * @throws ServiceError `bad_request` naming `url`
 */
export async function setWebhook(webhooks: Webhooks, input: SetWebhookInput): Promise<SetWebhookResult> {
  const { storeId, url, format } = input;
  if (url === "") return { secret: "", replacedSecret: await webhooks.set(storeId, null) };
  const problem = httpsUrlProblem(url);
  if (problem !== undefined) throw badRequest("url", problem);
  const newSecret = input.createSecret ? generateSigningSecret() : null;
  const replacedSecret = await webhooks.set(storeId, { url, format, newSecret });
  return { secret: newSecret ?? "", replacedSecret };
}
