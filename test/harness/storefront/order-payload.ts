/** A line item of an {@link orderPayload}. */
export interface LinePayload {
  readonly id: number;
  readonly product_id?: number | null;
  readonly variant_id?: number | null;
  readonly title?: string;
  readonly variant_title?: string | null;
  readonly sku?: string | null;
  readonly quantity?: number;
  readonly current_quantity?: number;
  readonly gift_card?: boolean;
}

let orderCount = 0;

/** Returns an order id that no other call in this process returns. */
export function newOrderId(): number {
  orderCount += 1;
  return 5_400_000_000_000 + (Date.now() % 1_000_000_000) * 1_000 + orderCount;
}

/** Builds the payload of Shopify's order webhooks, with only those fields that the tests need. */
export function orderPayload({
  id = newOrderId(),
  lines = [{ id: 13_800_000_000_001 }],
  ...fields
}: { readonly id?: number; readonly lines?: readonly LinePayload[] } & Readonly<Record<string, unknown>> = {}) {
  return {
    id,
    admin_graphql_api_id: `gid://shopify/Order/${id}`,
    name: `#${id % 100_000}`,
    created_at: "2030-01-31T10:00:00-05:00",
    updated_at: "2030-01-31T10:00:00-05:00",
    cancelled_at: null,
    cancel_reason: null,
    currency: "EUR",
    presentment_currency: "JPY",
    financial_status: "paid",
    fulfillment_status: null,
    test: false,
    email: "ada@example.test",
    contact_email: "ada@example.test",
    customer: { id: 7_100_000_000_001, email: "ada@example.test", first_name: "Ada", last_name: "Example" },
    billing_address: { name: "Ada Example", first_name: "Ada", last_name: "Example" },
    line_items: lines.map(linePayload),
    refunds: [] as unknown[],
    ...fields,
  };
}

function linePayload({ quantity = 1, ...line }: LinePayload) {
  const current = line.current_quantity ?? quantity;
  return {
    product_id: 8_100_000_000_001,
    variant_id: 9_100_000_000_001,
    title: "Alpine Jacket",
    variant_title: "M / Blue",
    name: "Alpine Jacket - M / Blue",
    sku: "AJ-M",
    quantity,
    fulfillable_quantity: current,
    gift_card: false,
    price: "199.00",
    properties: [],
    ...line,
    current_quantity: current,
  };
}

/**
 * Builds an entry of an order's `refunds`.
 *
 * @param units quantities by line id
 * @param orderId if given, the result is the payload of the refunds/create webhook
 */
export function refundPayload(id: number, units: Readonly<Record<number, number>>, orderId?: number) {
  return {
    id,
    ...(orderId !== undefined && { order_id: orderId }),
    created_at: "2030-02-01T10:00:00-05:00",
    note: null,
    refund_line_items: Object.entries(units).map(([line, quantity], index) => ({
      id: id + index,
      line_item_id: Number(line),
      quantity,
      restock_type: "return",
      subtotal: 199,
    })),
    transactions: [],
    order_adjustments: [],
  };
}
