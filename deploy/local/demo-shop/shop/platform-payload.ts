import type { Refund, ShopOrder } from "./order.ts";
import { stateOf, unitsLeft } from "./order.ts";
import type { ShopProduct } from "./product.ts";

const financialStatus = {
  paid: "paid",
  "partially refunded": "partially_refunded",
  refunded: "refunded",
  cancelled: "paid",
} as const;

/** Returns the payload of Shopify's order webhooks (Admin REST API, resource Order). */
export function orderPayload(order: ShopOrder) {
  const { product, buyer, quantity, cancelledAt } = order;
  const { firstName: first_name, lastName: last_name, email } = buyer;
  const name = `${first_name} ${last_name}`;
  return {
    id: order.id,
    admin_graphql_api_id: `gid://shopify/Order/${order.id}`,
    name: order.name,
    created_at: order.placedAt.toISOString(),
    updated_at: order.updatedAt.toISOString(),
    cancelled_at: cancelledAt?.toISOString() ?? null,
    cancel_reason: cancelledAt === null ? null : "customer",
    currency: "EUR",
    total_price: (product.price * quantity).toFixed(2),
    financial_status: financialStatus[stateOf(order)],
    test: false,
    email,
    customer: { email, first_name, last_name },
    billing_address: { name, first_name, last_name, country_code: "PT" },
    line_items: [
      {
        id: order.lineId,
        product_id: product.id,
        variant_id: product.variantId,
        title: product.title,
        variant_title: product.variant,
        name: `${product.title} - ${product.variant}`,
        sku: product.sku,
        quantity,
        current_quantity: unitsLeft(order),
        gift_card: false,
        price: product.price.toFixed(2),
      },
    ],
    refunds: order.refunds.map((refund) => refundPayload(order, refund)),
  };
}

/** Returns the payload of the refunds/create webhook (Admin REST API, resource Refund). */
export function refundPayload({ id, lineId, product }: ShopOrder, refund: Refund) {
  const { quantity } = refund;
  return {
    id: refund.id,
    order_id: id,
    created_at: refund.at.toISOString(),
    note: null,
    refund_line_items: [
      {
        id: refund.id,
        line_item_id: lineId,
        quantity,
        restock_type: "return",
        subtotal: product.price * quantity,
      },
    ],
  };
}

/** Returns the payload of the products/update webhook (Admin REST API, resource Product). */
export function productPayload({ id, title, tags }: ShopProduct, updatedAt: Date, pictureUrl: string) {
  return {
    id,
    admin_graphql_api_id: `gid://shopify/Product/${id}`,
    title,
    tags: tags.join(", "),
    updated_at: updatedAt.toISOString(),
    image: { src: pictureUrl },
  };
}
