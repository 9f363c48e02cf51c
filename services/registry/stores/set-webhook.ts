import type { AddressGuard } from "#shared/address-guard/address-guard.ts";
import { badRequest } from "#shared/errors/service-error.ts";
import { generateSigningSecret } from "#shared/keys/signing-secret.ts";
import { httpsUrlProblem } from "./https-url.ts";
import type { WebhookFormat } from "./store.ts";
import type { SetReport, Webhooks } from "./webhooks.ts";

/** What {@link setWebhook} works with. */
export interface SetWebhookDeps {
  readonly webhooks: Webhooks;
  /** Judges the URL's host without looking it up; the notifier judges its addresses, in the same words. */
  readonly guard: AddressGuard;
}

/** How a store's webhook is to be. */
export interface SetWebhookInput {
  readonly storeId: string;
  /** Empty removes the webhook. */
  readonly url: string;
  /** Null: the present one stays; where there is none, the format of a new URL. */
  readonly format: WebhookFormat | null;
  /** A new signing secret takes the place of the present ones at once: there is a gap until receivers know it. */
  readonly createSecret: boolean;
}

/** What setting a webhook did. */
export interface SetWebhookResult extends SetReport {
  /** The new signing secret; empty when none was asked for. */
  readonly secret: string;
}

/**
 * Sets or removes a store's webhook (INTERFACE.md §4.3). Events that have not been sent yet go where it points now.
 *
 * @throws ServiceError `bad_request` naming `url`
 */
export async function setWebhook(deps: SetWebhookDeps, input: SetWebhookInput): Promise<SetWebhookResult> {
  const { webhooks, guard } = deps;
  const { storeId, url, format } = input;
  if (url === "") return { secret: "", ...(await webhooks.set(storeId, null)) };
  const problem = httpsUrlProblem(url);
  if (problem !== undefined) throw badRequest("url", problem);
  const hostProblem = guard.hostProblem(new URL(url).hostname);
  if (hostProblem !== undefined) throw badRequest("url", `names ${hostProblem}`);
  const newSecret = input.createSecret ? generateSigningSecret() : null;
  return { secret: newSecret ?? "", ...(await webhooks.set(storeId, { url, format, newSecret })) };
}
