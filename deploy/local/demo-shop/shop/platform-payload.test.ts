import { expect, test } from "vitest";
import { PaymentState } from "#gen/registry/v1/connector_service_pb.js";
import { parseObject } from "../../../../services/edge/connector/parse-object.ts";
import { shopifyAdapter } from "../../../../services/edge/connector/shopify/shopify-adapter.ts";
import { cancelOrder, refundUnits } from "./order.ts";
import { orderFixture } from "./order-fixture.ts";
import { orderPayload, productPayload, refundPayload } from "./platform-payload.ts";

const translate = (topic: string, payload: object) =>
  shopifyAdapter.translate(topic, parseObject(JSON.stringify(payload)))?.content;
const at = new Date("2030-02-01T10:00:00.000Z");

test("the edge translates the shop's order webhook", () => {
  expect(translate("orders/paid", orderPayload(orderFixture()))).toMatchObject({
    case: "order",
    value: {
      id: "7001",
      name: "#12345",
      payment: PaymentState.PAID,
      isCancelled: false,
      isTest: false,
      buyerName: "Maya Lindqvist",
      buyerEmail: "maya@example.com",
      refunds: [],
      lines: [{ id: "7002", productId: "8104412840121", sku: "HAD-5070-O", quantity: 2, currentQuantity: 2 }],
    },
  });
});

test("the edge translates the shop's product webhook", () => {
  const pictureUrl = "https://127.0.0.1:18443/harbour.png";
  expect(translate("products/update", productPayload(orderFixture().product, at, pictureUrl))).toMatchObject({
    case: "product",
    value: { id: "8104412840121", tags: ["limited", "print"], imageUrl: pictureUrl },
  });
});

test("the edge translates the shop's refund and cancellation webhooks", () => {
  const refund = { id: 8_001, quantity: 1, at };
  const units = [{ lineId: "7002", quantity: 1 }];
  expect(translate("refunds/create", refundPayload(orderFixture(), refund))).toMatchObject({
    value: { orderId: "7001", refund: { id: "8001", units } },
  });
  const cancelled = orderPayload(cancelOrder(refundUnits(orderFixture(), refund), at));
  expect(translate("orders/cancelled", cancelled)).toMatchObject({
    value: { isCancelled: true, lines: [{ currentQuantity: 0 }], refunds: [{ id: "8001", units }] },
  });
});
