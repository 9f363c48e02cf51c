import { z } from "zod";
import { textLimits } from "#shared/text/text-limits.ts";
import { id, optionalId, text, time } from "./fields.ts";

const ordersMax = 10_000;

const customer = z
  .object({ id: optionalId, email: text(textLimits.email.max) })
  .nullish()
  .transform((value) => ({ customerId: value?.id ?? "", email: value?.email ?? "" }));

const orders = z.array(id).max(ordersMax);

/** The payload of the customers/data_request webhook. */
export const dataRequestPayload = z
  .object({ shop_domain: z.string(), customer, orders_requested: orders.nullable() })
  .transform((request) => ({ ...request.customer, orderIds: request.orders_requested ?? [] }));

/** The payload of the customers/redact webhook. */
export const customerErasurePayload = z
  .object({ shop_domain: z.string(), customer, orders_to_redact: orders.nullable() })
  .transform((request) => ({ ...request.customer, orderIds: request.orders_to_redact ?? [] }));

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
