import type { Buyer, ShopProduct } from "./product.ts";

/** Maximum number of units in an order. */
export const quantityMax = 3;

/** A refund for one or more units of an order. */
export interface Refund {
  readonly id: number;
  readonly quantity: number;
  readonly at: Date;
}

/** An order of the demo shop: one or more units of one product, already paid. */
export interface ShopOrder {
  readonly id: number;
  /** Begins with `#`. */
  readonly name: string;
  readonly lineId: number;
  readonly product: ShopProduct;
  readonly buyer: Buyer;
  readonly quantity: number;
  readonly placedAt: Date;
  readonly updatedAt: Date;
  readonly refunds: readonly Refund[];
  readonly cancelledAt: Date | null;
}

/** The state of an order as the shop shows it. */
type OrderState = "paid" | "partially refunded" | "refunded" | "cancelled";

/** Thrown when the shop refuses an action. The page shows the message. */
export class OrderRefusal extends Error {
  constructor(message: string) {
    super(message);
    this.name = "OrderRefusal";
  }
}

/** Returns the number of units that were neither refunded nor cancelled. */
export function unitsLeft({ quantity, refunds, cancelledAt }: ShopOrder): number {
  if (cancelledAt !== null) return 0;
  return refunds.reduce((left, refund) => left - refund.quantity, quantity);
}

/** Returns the state of an order, derived from its cancellation and its refunds. */
export function stateOf(order: ShopOrder): OrderState {
  if (order.cancelledAt !== null) return "cancelled";
  const left = unitsLeft(order);
  if (left === 0) return "refunded";
  return left < order.quantity ? "partially refunded" : "paid";
}

/** Returns a copy of the order with a refund added. @throws OrderRefusal if the refund has more units than are left */
export function refundUnits(order: ShopOrder, refund: Refund): ShopOrder {
  if (unitsLeft(order) < refund.quantity) throw new OrderRefusal("This order has no units left to refund.");
  return { ...order, refunds: [...order.refunds, refund], updatedAt: refund.at };
}

/** Returns a cancelled copy of the order. @throws OrderRefusal if no unit is left */
export function cancelOrder(order: ShopOrder, at: Date): ShopOrder {
  if (unitsLeft(order) === 0) throw new OrderRefusal("This order has no units left to cancel.");
  return { ...order, cancelledAt: at, updatedAt: at };
}
