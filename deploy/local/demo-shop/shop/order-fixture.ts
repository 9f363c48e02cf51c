import type { ShopOrder } from "./order.ts";
import { buyers, shopProducts } from "./product.ts";

/** Builds an order of two units of the first product. */
export function orderFixture(changes: Partial<ShopOrder> = {}): ShopOrder {
  const [product] = shopProducts;
  const [buyer] = buyers;
  if (product === undefined || buyer === undefined) throw new RangeError("the shop is empty");
  const placedAt = new Date("2030-01-31T10:00:00.000Z");
  return {
    id: 7_001,
    name: "#12345",
    lineId: 7_002,
    product,
    buyer,
    quantity: 2,
    placedAt,
    updatedAt: placedAt,
    refunds: [],
    cancelledAt: null,
    ...changes,
  };
}
