import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { PaymentState } from "#gen/registry/v1/connector_service_pb.js";
import { badRequest } from "#shared/errors/service-error.ts";
import { parseObject } from "../parse-object.ts";
import { UnreadableBody } from "../platform-adapter.ts";
import { shopifyAdapter } from "./shopify-adapter.ts";

const translateBody = (topic: string, body: string) => shopifyAdapter.translate(topic, parseObject(body))?.content;
const translate = (topic: string, payload: object) => translateBody(topic, JSON.stringify(payload));
const recorded = (name: string) => JSON.parse(readFileSync(new URL(`recorded/${name}.json`, import.meta.url), "utf8"));

function orderOf(changes: object) {
  const content = translate("orders/updated", { ...recorded("order-paid"), ...changes });
  if (content?.case !== "order") throw new Error("not an order");
  return content.value;
}

function lineOf(changes: object) {
  const [line] = recorded("order-paid").line_items;
  return orderOf({ line_items: [{ ...line, ...changes }] }).lines?.[0];
}

describe("an order", () => {
  test("is translated completely", () => {
    expect(orderOf({})).toEqual({
      id: "5678901234567",
      name: "#1042",
      payment: PaymentState.PAID,
      isCancelled: false,
      isTest: false,
      buyerName: "Mina Okafor",
      buyerEmail: "mina@example.test",
      customerId: "7012345678901",
      createdAt: expect.objectContaining({ seconds: 1_769_882_400n }),
      updatedAt: expect.objectContaining({ seconds: 1_769_882_405n }),
      lines: [
        {
          id: "14012345678901",
          productId: "8123456789012",
          title: "Winter Harbour",
          variant: "A2 / Framed",
          sku: "WH-A2-F",
          quantity: 2,
          currentQuantity: 2,
          isGiftCard: false,
        },
        {
          id: "14012345678902",
          productId: "8123456789013",
          title: "Gift card",
          variant: "",
          sku: "",
          quantity: 1,
          currentQuantity: 1,
          isGiftCard: true,
        },
      ],
      refunds: [],
    });
  });

  test.each([
    ["paid", PaymentState.PAID],
    ["partially_refunded", PaymentState.PAID],
    ["refunded", PaymentState.REFUNDED],
    ["voided", PaymentState.VOIDED],
    ["authorized", PaymentState.UNPAID],
    ["partially_paid", PaymentState.UNPAID],
    [null, PaymentState.UNPAID],
  ])("with the financial status %s gets the matching payment state", (financial_status, payment) => {
    expect(orderOf({ financial_status }).payment).toBe(payment);
  });

  test("keeps the exact id even if the id is too large for a JavaScript number", () => {
    const body = JSON.stringify(recorded("order-paid")).replace("5678901234567", "820982911946154508");
    expect(translateBody("orders/paid", body)).toMatchObject({ value: { id: "820982911946154508" } });
  });

  test("whose name does not begin with # is translated with a # before the name", () => {
    expect(orderOf({ name: "EN-1042" }).name).toBe("#EN-1042");
  });

  test.each([
    ["a null customer", { customer: null }, "Mina Okafor", "mina@example.test"],
    ["no billing address", { billing_address: null }, "Mina Okafor", "mina@example.test"],
    ["only a customer", { billing_address: null, email: "", contact_email: null }, "Mina Okafor", "mina@example.test"],
    [
      "no person at all",
      { billing_address: null, shipping_address: null, customer: null, email: null, contact_email: null },
      "",
      "",
    ],
  ])("with %s is translated with all known details of the buyer", (_name, changes, buyerName, buyerEmail) => {
    expect(orderOf(changes)).toMatchObject({ buyerName, buyerEmail });
  });

  test.each<[string, object, object]>([
    ["without a SKU", { sku: null }, { sku: "" }],
    ["of a deleted product", { product_id: null, variant_id: null, product_exists: false }, { productId: "" }],
    ["without variants", { variant_title: null }, { variant: "" }],
    ["without a title", { title: null, name: "Winter Harbour - A2" }, { title: "Winter Harbour - A2" }],
    ["with a line break in the title", { title: "Winter\nHarbour" }, { title: "Winter Harbour" }],
    ["with units removed by an edit", { current_quantity: 1 }, { quantity: 2, currentQuantity: 1 }],
  ])("with a line %s is translated", (_name, changes, expected) => {
    expect(lineOf(changes)).toMatchObject(expected);
  });

  test("from an API version without current_quantity is translated without currentQuantity", () => {
    expect(lineOf({ current_quantity: undefined })).not.toHaveProperty("currentQuantity");
  });

  test("with 250 lines is translated with all of them", () => {
    const [line] = recorded("order-paid").line_items;
    const lines = Array.from({ length: 250 }, (_, index) => ({ ...line, id: 14_000_000_000_000 + index }));
    expect(orderOf({ line_items: lines }).lines).toHaveLength(250);
  });

  test("in several currencies is translated like any other", () => {
    const money = {
      shop_money: { amount: "1.00", currency_code: "EUR" },
      presentment_money: { amount: "160", currency_code: "JPY" },
    };
    expect(orderOf({ presentment_currency: "JPY", total_price_set: money })).toEqual(orderOf({}));
  });

  test("is translated with its refunds", () => {
    expect(orderOf({ refunds: [recorded("refund-partial")] }).refunds).toEqual([
      { id: "987654321098", units: [{ lineId: "14012345678901", quantity: 1 }] },
    ]);
  });
});

const shop = "shop.example.test";
const customer = { id: 2, email: "mina@example.test" };

/** A body of each topic, by topic. */
const bodies = {
  "orders/paid": recorded("order-paid"),
  "refunds/create": recorded("refund-partial"),
  "products/update": { id: 8123456789012, title: "Print", tags: "", updated_at: "2026-01-31T13:00:00-05:00" },
  "app/installed": { shop_domain: shop, installed_at: "2026-01-31T13:00:00-05:00" },
  "app/uninstalled": { id: 1, name: "Shop", domain: "www.example.test", myshopify_domain: shop },
  "customers/data_request": { shop_id: 1, shop_domain: shop, customer, orders_requested: [], data_request: { id: 1 } },
  "customers/redact": { shop_id: 1, shop_domain: shop, customer, orders_to_redact: [] },
  "shop/redact": { shop_id: 1, shop_domain: shop },
};

describe("the body of a message", () => {
  const isAccepted = (topic: string, body: object) => {
    try {
      return translate(topic, body) !== undefined;
    } catch {
      return false;
    }
  };

  test.each(Object.entries(bodies))("on the topic %s is accepted on no other topic", (topic, body) => {
    expect(Object.keys(bodies).filter((other) => isAccepted(other, body))).toEqual([topic]);
  });

  test.each([
    [{ myshopify_domain: "Shop.Example.test" }, shop],
    [{ shop_domain: shop }, shop],
    [{ domain: "www.example.test" }, undefined],
    [{ shop_domain: 7 }, undefined],
  ])("%j names its store", (payload, expected) => {
    expect(shopifyAdapter.shopOf(payload)).toBe(expected);
  });
});

describe("a message", () => {
  test("about a refund is translated with the order's id and the refunded units", () => {
    expect(translate("refunds/create", recorded("refund-partial"))).toEqual({
      case: "refund",
      value: {
        orderId: "5678901234567",
        refund: { id: "987654321098", units: [{ lineId: "14012345678901", quantity: 1 }] },
      },
    });
  });

  test.each([
    ["Certified,  Limited Edition ,", ["Certified", "Limited Edition"]],
    [
      ["a", " b "],
      ["a", "b"],
    ],
    [null, []],
  ])("about a product is translated with the tags %j split and trimmed", (tags, expected) => {
    const product = { id: 8123456789012, title: "Print", tags, updated_at: "2026-01-31T13:00:00-05:00" };
    expect(translate("products/update", product)).toMatchObject({
      case: "product",
      value: { id: "8123456789012", tags: expected },
    });
  });

  test.each([
    ["app/uninstalled", bodies["app/uninstalled"], "appUninstalled"],
    ["shop/redact", bodies["shop/redact"], "shopErasure"],
  ])("on the topic %s is translated", (topic, payload, kind) => {
    expect(translate(topic, payload)).toEqual({ case: kind, value: {} });
  });

  test("about the installation of the app is translated with the time in its body", () => {
    expect(shopifyAdapter.translate("app/installed", bodies["app/installed"])).toEqual({
      content: { case: "appInstalled", value: {} },
      createdAt: new Date("2026-01-31T18:00:00Z"),
    });
  });

  test.each([
    ["customers/data_request", "customerDataRequest", "orders_requested"],
    ["customers/redact", "customerErasure", "orders_to_redact"],
  ])("on the topic %s is translated with the customer and the ids of the orders", (topic, kind, field) => {
    const payload = {
      shop_id: 1,
      shop_domain: shop,
      customer: { id: 2, email: "mina@example.test" },
      [field]: [5678901234567],
    };
    const value = { customerId: "2", email: "mina@example.test", orderIds: ["5678901234567"] };
    expect(translate(topic, payload)).toEqual({ case: kind, value });
  });

  test("on a topic that the connector does not use is ignored", () => {
    expect(translate("carts/update", {})).toBeUndefined();
    expect(translate("constructor", {})).toBeUndefined();
  });
});

describe("a body that cannot be translated", () => {
  test.each([
    ["lacks the id", "orders/paid", { ...recorded("order-paid"), id: undefined }, "id"],
    [
      "has an unknown status",
      "orders/paid",
      { ...recorded("order-paid"), financial_status: "odd" },
      "financial_status",
    ],
    ["is empty", "refunds/create", {}, "order_id"],
    [
      "has too many lines",
      "orders/paid",
      { ...recorded("order-paid"), line_items: Array.from({ length: 1_001 }, () => ({ id: 1, quantity: 1 })) },
      "line_items",
    ],
    [
      "has too many refunds",
      "orders/paid",
      { ...recorded("order-paid"), refunds: Array.from({ length: 1_001 }, () => ({ id: 1, refund_line_items: [] })) },
      "refunds",
    ],
    [
      "has too many tags",
      "products/update",
      { id: 1, title: "Print", tags: Array.from({ length: 10_001 }, () => "a"), updated_at: "2026-01-31T18:00:00Z" },
      "tags",
    ],
  ])("causes an error that states the fault but quotes no value: it %s", (_name, topic, body, field) => {
    const act = () => translate(topic, body);
    expect(act).toThrow(UnreadableBody);
    const why = { code: "message_field_malformed", params: { field, fault: expect.stringMatching(/^[a-z_]+$/) } };
    expect(act).toThrow(expect.objectContaining({ reason: why }));
  });

  test.each([
    ["a string", "limited,".repeat(251)],
    ["a list", Array.from({ length: 251 }, () => "limited")],
  ])("about a product keeps 250 tags of %s", (_what, tags) => {
    const product = { id: 1, title: "Print", tags, updated_at: "2026-01-31T18:00:00Z" };
    expect(translate("products/update", product)).toHaveProperty("value.tags.length", 250);
  });

  test.each(["app/installed", "app/uninstalled", "customers/data_request", "customers/redact", "shop/redact"])(
    "on the topic %s is refused instead, because it does not name its store",
    (topic) => {
      expect(() => translate(topic, {})).toThrow(badRequest("body", `is not a message on the topic ${topic}`));
    },
  );
});
