import { randomBytes } from "node:crypto";
import { badRequest } from "#shared/errors/service-error.ts";
import { httpsUrlProblem } from "./https-url.ts";
import type { WebhookFormat } from "./store.ts";
import type { StoreDirectory } from "./store-directory.ts";

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
export async function setWebhook(stores: StoreDirectory, input: SetWebhookInput): Promise<string> {
  if (input.url === "") {
    await stores.setWebhook(input.storeId, null);
    return "";
  }
  const problem = httpsUrlProblem(input.url);
  if (problem !== undefined) throw badRequest("url", problem);
  const store = await stores.findStore({ storeId: input.storeId });
  const newSecret = input.createSecret ? `whsec_${randomBytes(32).toString("base64url")}` : "";
  const secret = newSecret === "" ? (store.webhook?.secret ?? null) : newSecret;
  await stores.setWebhook(input.storeId, { url: input.url, format: input.format, secret });
  return newSecret;
}
