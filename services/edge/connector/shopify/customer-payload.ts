import { z } from "zod";
import { textLimits } from "#shared/text/text-limits.ts";
import { id, optionalId, text } from "./fields.ts";

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
