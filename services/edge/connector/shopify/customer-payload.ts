import { z } from "zod";
import { textLimits } from "#shared/text/text-limits.ts";
import { id, optionalId, text } from "./fields.ts";

const customer = z
  .object({ id: optionalId, email: text(textLimits.email.max) })
  .nullish()
  .transform((value) => ({ customerId: value?.id ?? "", email: value?.email ?? "" }));

/** The payload of the customers/data_request webhook. */
export const dataRequestPayload = z
  .object({ customer, orders_requested: z.array(id).nullish() })
  .transform((request) => ({ ...request.customer, orderIds: request.orders_requested ?? [] }));

/** The payload of the customers/redact webhook. */
export const customerErasurePayload = z
  .object({ customer, orders_to_redact: z.array(id).nullish() })
  .transform((request) => ({ ...request.customer, orderIds: request.orders_to_redact ?? [] }));
