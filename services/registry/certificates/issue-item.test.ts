import { describe, expect, test } from "vitest";
import { type Reason, reason } from "#shared/reasons/reason.ts";
import { findItemProblem, findProductProblem, type IssueItem, issueKeyOf, type OrderUnit } from "./issue-item.ts";

const order: OrderUnit = { id: "450789469", name: "#1001", line: "1", unit: 1 };
const item: IssueItem = {
  product: { id: "7001", title: "Alpine Jacket", variant: "M / Blue", sku: "AJ-M" },
  buyer: { name: "Ada Example", email: "ada@example.test" },
  order,
  expiresAt: null,
};
const x = (length: number) => "x".repeat(length);

describe("findItemProblem accepts an item", () => {
  test.each<[string, Partial<IssueItem>]>([
    ["of an order", {}],
    ["without an order", { order: null }],
    [
      "with a SKU and without a title, which the catalogue may know",
      { product: { id: "", title: "", variant: "", sku: "S" } },
    ],
    ["with the shortest product fields", { product: { id: "", title: "x", variant: "", sku: "" } }],
    [
      "with a name of 127 emoji, each of which counts as two characters",
      { buyer: { ...item.buyer, name: "😀".repeat(127) } },
    ],
    ["with an expiry in the past, which findExpiryProblem checks", { expiresAt: new Date(0) }],
    ["with the latest possible expiry", { expiresAt: new Date("9999-12-31T23:59:59.999Z") }],
  ])("%s", (_what, changes) => {
    expect(findItemProblem({ ...item, ...changes })).toBeUndefined();
  });
});

test.each<[string, Partial<IssueItem>, Reason]>([
  ["product.id", { product: { ...item.product, id: x(65) } }, reason("text_too_long", { max: 64 })],
  ["product.title", { product: { ...item.product, title: "", sku: "" } }, reason("text_empty")],
  ["product.title", { product: { ...item.product, title: x(256) } }, reason("text_too_long", { max: 255 })],
  ["product.title", { product: { ...item.product, title: "a\tb" } }, reason("text_has_control_character")],
  ["buyer.name", { buyer: { ...item.buyer, name: "" } }, reason("text_empty")],
  ["buyer.name", { buyer: { ...item.buyer, name: "😀".repeat(128) } }, reason("text_too_long", { max: 255 })],
  ["buyer.email", { buyer: { ...item.buyer, email: "@b" } }, reason("text_too_short", { min: 3 })],
  ["buyer.email", { buyer: { ...item.buyer, email: "a.b" } }, reason("email_invalid")],
  ["buyer.email", { buyer: { ...item.buyer, email: "a@b@c" } }, reason("email_invalid")],
  ["order.id", { order: { ...order, id: "1a" } }, reason("order_id_invalid")],
  ["order.name", { order: { ...order, name: "1001" } }, reason("order_name_without_hash")],
  ["order.name", { order: { ...order, name: "#10\t01" } }, reason("text_has_control_character")],
  ["order.line", { order: { ...order, line: "" } }, reason("text_empty")],
  ["order.line", { order: { ...order, line: "a\tb" } }, reason("text_has_control_character")],
  ["order.unit", { order: { ...order, unit: 0 } }, reason("quantity_invalid")],
  ["order.unit", { order: { ...order, unit: 10_001 } }, reason("quantity_invalid")],
  ["expires_at", { expiresAt: new Date(Number.NaN) }, reason("expiry_out_of_range")],
  ["expires_at", { expiresAt: new Date(253_402_300_800_000) }, reason("expiry_out_of_range")],
  ["expires_at", { expiresAt: new Date(-62_135_596_800_001) }, reason("expiry_out_of_range")],
])("findItemProblem reports %s for %o", (field, changes, problem) => {
  expect(findItemProblem({ ...item, ...changes })).toEqual({ field, reason: problem });
});

test("findItemProblem reports the first of several problems", () => {
  const broken = { ...item, product: { ...item.product, title: "", sku: "" }, buyer: { name: "", email: "" } };
  expect(findItemProblem(broken)?.field).toBe("product.title");
});

test("findProductProblem prefixes the field with the given path", () => {
  const product = { ...item.product, sku: x(256) };
  expect(findProductProblem(product, "products[3]")).toEqual({
    field: "products[3].sku",
    reason: reason("text_too_long", { max: 255 }),
  });
});

describe("issueKeyOf", () => {
  test("combines the order id, line and unit in the stored format", () => {
    expect(issueKeyOf(item)).toBe("450789469/1/1");
    expect(issueKeyOf({ ...item, order: { ...order, name: "#other" } })).toBe("450789469/1/1");
  });

  test("returns null for an item without an order", () => {
    expect(issueKeyOf({ ...item, order: null })).toBeNull();
  });

  test("returns different keys for different units, even if the line contains slashes", () => {
    const units: OrderUnit[] = [
      { ...order, id: "1", line: "2/3", unit: 4 },
      { ...order, id: "1", line: "2", unit: 34 },
      { ...order, id: "1", line: "2/3/4", unit: 4 },
      { ...order, id: "1", line: "2/", unit: 34 },
      { ...order, id: "12", line: "3", unit: 4 },
    ];
    const keys = units.map((unit) => issueKeyOf({ ...item, order: unit }));
    expect(new Set(keys).size).toBe(units.length);
  });
});
