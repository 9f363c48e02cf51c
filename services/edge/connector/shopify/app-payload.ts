import { z } from "zod";
import { id, time } from "./fields.ts";

/** The payload of the app/installed message, which the app itself sends. */
export const appInstalledPayload = z
  .object({ shop_domain: z.string(), installed_at: time })
  .transform(({ installed_at: installedAt }) => installedAt);

/** The payload of the app/uninstalled webhook: a Shop resource of the Admin REST API. */
export const appUninstalledPayload = z.object({ id, domain: z.string(), myshopify_domain: z.string() });

/** The payload of the shop/redact webhook. It differs from those of the customers' topics by naming no customer. */
export const shopErasurePayload = z.object({
  shop_id: id,
  shop_domain: z.string(),
  customer: z.undefined().optional(),
});
