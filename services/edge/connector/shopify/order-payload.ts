import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { z } from "zod";
import { PaymentState } from "#gen/registry/v1/connector_service_pb.js";
import { textLimits } from "#shared/text/text-limits.ts";
import { id, optionalId, quantity, text, time } from "./fields.ts";
import { refundPayload } from "./refund-payload.ts";

/** Maximum number of lines of an order; platforms permit 500. Limits the size of a stored order. */
export const linesMax = 1_000;
/** Maximum number of refunds of an order. */
export const refundsMax = 1_000;

const person = z
  .object({
    id: optionalId,
    name: text(textLimits.personName.max),
    first_name: text(textLimits.personName.max),
    last_name: text(textLimits.personName.max),
    email: text(textLimits.email.max),
  })
  .partial()
  .nullish();

const line = z
  .object({
    id,
    product_id: optionalId,
    title: text(textLimits.productTitle.max),
    name: text(textLimits.productTitle.max),
    variant_title: text(textLimits.productVariant.max),
    sku: text(textLimits.sku.max),
    quantity,
    // Missing before API version 2024-01.
    current_quantity: quantity.nullish(),
    gift_card: z.boolean().nullish(),
  })
  .transform((one) => ({
    id: one.id,
    productId: one.product_id,
    title: one.title || one.name,
    variant: one.variant_title,
    sku: one.sku,
    quantity: one.quantity,
    ...(typeof one.current_quantity === "number" && { currentQuantity: one.current_quantity }),
    isGiftCard: one.gift_card ?? false,
  }));

const payments = {
  paid: PaymentState.PAID,
  partially_refunded: PaymentState.PAID,
  refunded: PaymentState.REFUNDED,
  voided: PaymentState.VOIDED,
  pending: PaymentState.UNPAID,
  authorized: PaymentState.UNPAID,
  partially_paid: PaymentState.UNPAID,
  expired: PaymentState.UNPAID,
  unpaid: PaymentState.UNPAID,
} as const;

const paymentNames = Object.keys(payments) as (keyof typeof payments)[];

/** The payload of the handled orders/… webhooks: an Order resource of the Admin REST API. */
export const orderPayload = z
  .object({
    id,
    name: text(textLimits.orderName.max - 1),
    created_at: time,
    updated_at: time,
    cancelled_at: z.string().nullish(),
    financial_status: z.enum(paymentNames).nullish(),
    test: z.boolean().nullish(),
    email: text(textLimits.email.max),
    contact_email: text(textLimits.email.max),
    customer: person,
    billing_address: person,
    shipping_address: person,
    // Required: a product's payload has no lines.
    line_items: z.array(line).max(linesMax),
    refunds: z.array(refundPayload).max(refundsMax).default([]),
  })
  .transform((order) => ({
    id: order.id,
    // Merchants can replace the `#` with a prefix of their own; the registry requires a `#`.
    name: order.name.startsWith("#") ? order.name : `#${order.name || order.id}`,
    createdAt: timestampFromDate(order.created_at),
    updatedAt: timestampFromDate(order.updated_at),
    payment: payments[order.financial_status ?? "pending"],
    isCancelled: (order.cancelled_at ?? "") !== "",
    isTest: order.test ?? false,
    buyerName: nameOf(order.billing_address) || nameOf(order.customer) || nameOf(order.shipping_address),
    buyerEmail: order.email || order.contact_email || (order.customer?.email ?? ""),
    customerId: order.customer?.id ?? "",
    lines: order.line_items,
    refunds: order.refunds,
  }));

function nameOf(one: z.output<typeof person>): string {
  if (one === null || one === undefined) return "";
  return one.name || [one.first_name, one.last_name].filter(Boolean).join(" ").slice(0, textLimits.personName.max);
}
