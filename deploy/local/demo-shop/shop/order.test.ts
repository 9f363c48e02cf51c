import { expect, test } from "vitest";
import { cancelOrder, OrderRefusal, refundUnits, stateOf, unitsLeft } from "./order.ts";
import { orderFixture } from "./order-fixture.ts";

const at = new Date("2030-02-01T10:00:00.000Z");
const refund = (id: number) => ({ id, quantity: 1, at });

test("an order is refunded unit by unit until no unit is left", () => {
  const once = refundUnits(orderFixture(), refund(1));
  expect([stateOf(once), unitsLeft(once), once.updatedAt]).toEqual(["partially refunded", 1, at]);
  const twice = refundUnits(once, refund(2));
  expect([stateOf(twice), unitsLeft(twice)]).toEqual(["refunded", 0]);
  expect(() => refundUnits(twice, refund(3))).toThrow(OrderRefusal);
  expect(() => cancelOrder(twice, at)).toThrow(OrderRefusal);
});

test("a cancelled order has no units left", () => {
  const cancelled = cancelOrder(orderFixture(), at);
  expect([stateOf(cancelled), unitsLeft(cancelled), cancelled.updatedAt]).toEqual(["cancelled", 0, at]);
  expect(() => refundUnits(cancelled, refund(1))).toThrow(OrderRefusal);
});
