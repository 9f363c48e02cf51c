import type { OrderLine, OrderSnapshot } from "./message.ts";
import type { StorefrontRule } from "./rules.ts";

/** Test fixture: a rule that selects all products, since 1970, without an edition. */
export function ruleFixture(changes: Partial<StorefrontRule> = {}): StorefrontRule {
  return {
    name: "all",
    selector: { by: "all" },
    excludes: false,
    editionTotal: null,
    numbering: "product",
    validDays: null,
    since: new Date(0),
    ...changes,
  };
}

/** Test fixture: a line with two units. */
export function lineFixture(changes: Partial<OrderLine> = {}): OrderLine {
  return {
    id: "100001",
    productId: "7001",
    title: "Winter Harbour",
    variant: "A2",
    sku: "WH-A2",
    quantity: 2,
    currentQuantity: 2,
    isGiftCard: false,
    ...changes,
  };
}

/** Test fixture: a paid order with one line. */
export function orderFixture(changes: Partial<OrderSnapshot> = {}): OrderSnapshot {
  return {
    id: "5001",
    name: "#1001",
    createdAtMs: 1_000,
    updatedAtMs: 1_000,
    payment: "paid",
    isCancelled: false,
    isTest: false,
    buyer: { name: "Ada", email: "ada@example.test", customerId: "" },
    lines: [lineFixture()],
    refunds: [],
    ...changes,
  };
}
