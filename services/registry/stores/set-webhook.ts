import { randomBytes } from "node:crypto";
import type { AddressGuard } from "#shared/address-guard/address-guard.ts";
import { badRequest } from "#shared/errors/service-error.ts";
import { httpsUrlProblem } from "./https-url.ts";
import type { WebhookFormat } from "./store.ts";
import type { StoreDirectory } from "./store-directory.ts";

/** What {@link setWebhook} works with. */
export interface SetWebhookDeps {
  readonly stores: StoreDirectory;
  /** Judges the URL's host without looking it up; the notifier judges its addresses, in the same words. */
  readonly guard: AddressGuard;
}

/** How a store's webhook is to be. */
export interface SetWebhookInput {
  readonly storeId: string;
  /** Empty removes the webhook. */
  readonly url: string;
  readonly format: WebhookFormat;
  readonly createSecret: boolean;
}

/**
 * Sets or removes a store's webhook (interface specification §4.3). Events that have not been sent yet go where it points now.
 *
 * @returns the new signing secret, or an empty text when none was asked for
 * @throws ServiceError `bad_request` naming `url`
 */
export async function setWebhook({ stores, guard }: SetWebhookDeps, input: SetWebhookInput): Promise<string> {
  if (input.url === "") {
    await stores.setWebhook(input.storeId, null);
    return "";
  }
  const problem = httpsUrlProblem(input.url);
  if (problem !== undefined) throw badRequest("url", problem);
  const hostProblem = guard.hostProblem(new URL(input.url).hostname);
  if (hostProblem !== undefined) throw badRequest("url", `names ${hostProblem}`);
  const store = await stores.findStore({ storeId: input.storeId });
  const newSecret = input.createSecret ? `whsec_${randomBytes(32).toString("base64url")}` : "";
  const secret = newSecret === "" ? (store.webhook?.secret ?? null) : newSecret;
  await stores.setWebhook(input.storeId, { url: input.url, format: input.format, secret });
  return newSecret;
}
