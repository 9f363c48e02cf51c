import { describe, expect, test } from "vitest";
import {
  findItemProblem,
  findProductProblem,
  type IssueItem,
  issueKeyOf,
  type OrderUnit,
} from "./issue-item.ts";

const order: OrderUnit = { id: "450789469", name: "#1001", line: "1", unit: 1 };
const item: IssueItem = {
  product: { id: "7001", title: "Alpine Jacket", variant: "M / Blue", sku: "AJ-M" },
  buyer: { name: "Ada Example", email: "ada@example.test" },
  order,
  expiresAt: null,
};
const x = (length: number) => "x".repeat(length);

describe("an item breaks no rule", () => {
  test.each<[string, Partial<IssueItem>]>([
    ["as it is", {}],
    ["issued by hand", { order: null }],
    ["with the shortest texts", { product: { id: "", title: "x", variant: "", sku: "" } }],
    ["with an emoji counted as two", { buyer: { ...item.buyer, name: "😀".repeat(127) } }],
    ["with a date in the past", { expiresAt: new Date(0) }],
    ["with the last date there is", { expiresAt: new Date("9999-12-31T23:59:59.999Z") }],
  ])("%s", (_what, changes) => {
    expect(findItemProblem({ ...item, ...changes })).toBeUndefined();
  });
});

test.each<[string, Partial<IssueItem>, string]>([
  ["product.id", { product: { ...item.product, id: x(65) } }, "is longer than 64 characters"],
  ["product.title", { product: { ...item.product, title: "" } }, "is empty"],
  ["product.title", { product: { ...item.product, title: x(256) } }, "is longer than 255 characters"],
  ["product.title", { product: { ...item.product, title: "a\tb" } }, "holds a control character"],
  ["buyer.name", { buyer: { ...item.buyer, name: "" } }, "is empty"],
  ["buyer.name", { buyer: { ...item.buyer, name: "😀".repeat(128) } }, "is longer than 255 characters"],
  ["buyer.email", { buyer: { ...item.buyer, email: "@b" } }, "is too short"],
  ["buyer.email", { buyer: { ...item.buyer, email: "a.b" } }, "is not an e-mail address"],
  ["buyer.email", { buyer: { ...item.buyer, email: "a@b@c" } }, "is not an e-mail address"],
  ["order.id", { order: { ...order, id: "1a" } }, "is not 1 to 20 digits"],
  ["order.name", { order: { ...order, name: "1001" } }, "is not '#' and 1 to 63 characters"],
  ["order.line", { order: { ...order, line: "" } }, "is not 1 to 64 characters"],
  ["order.unit", { order: { ...order, unit: 0 } }, "is not 1 to 10000"],
  ["order.unit", { order: { ...order, unit: 10_001 } }, "is not 1 to 10000"],
  ["expires_at", { expiresAt: new Date(Number.NaN) }, "is not a date of the years 1 to 9999"],
  ["expires_at", { expiresAt: new Date(253_402_300_800_000) }, "is not a date of the years 1 to 9999"],
  ["expires_at", { expiresAt: new Date(-62_135_596_800_001) }, "is not a date of the years 1 to 9999"],
])("%s is named when it is %o", (field, changes, problem) => {
  expect(findItemProblem({ ...item, ...changes })).toEqual({ field, message: `${field} ${problem}` });
});

test("of several problems the first is told", () => {
  const broken = { ...item, product: { ...item.product, title: "" }, buyer: { name: "", email: "" } };
  expect(findItemProblem(broken)?.field).toBe("product.title");
});

test("a product that stands alone is named by its own path", () => {
  const product = { ...item.product, sku: x(256) };
  expect(findProductProblem(product, "products[3]")).toEqual({
    field: "products[3].sku",
    message: "products[3].sku is longer than 255 characters",
  });
});

describe("an order unit's key", () => {
  test("is made of order, line and unit, and stays what it was in every release", () => {
    expect(issueKeyOf(order)).toBe("450789469/1/1");
    expect(issueKeyOf({ ...order, name: "#other" })).toBe("450789469/1/1");
  });

  test("differs where any of the three does, whatever a line is called", () => {
    const units: OrderUnit[] = [
      { ...order, id: "1", line: "2/3", unit: 4 },
      { ...order, id: "1", line: "2", unit: 34 },
      { ...order, id: "1", line: "2/3/4", unit: 4 },
      { ...order, id: "1", line: "2/", unit: 34 },
      { ...order, id: "12", line: "3", unit: 4 },
    ];
    expect(new Set(units.map(issueKeyOf)).size).toBe(units.length);
  });
});
