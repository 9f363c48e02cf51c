import { describe, expect, test } from "vitest";
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

test.each<[string, Partial<IssueItem>, string]>([
  ["product.id", { product: { ...item.product, id: x(65) } }, "is longer than 64 characters"],
  ["product.title", { product: { ...item.product, title: "" } }, "is empty"],
  ["product.title", { product: { ...item.product, title: x(256) } }, "is longer than 255 characters"],
  ["product.title", { product: { ...item.product, title: "a\tb" } }, "contains a control character"],
  ["buyer.name", { buyer: { ...item.buyer, name: "" } }, "is empty"],
  ["buyer.name", { buyer: { ...item.buyer, name: "😀".repeat(128) } }, "is longer than 255 characters"],
  ["buyer.email", { buyer: { ...item.buyer, email: "@b" } }, "is shorter than 3 characters"],
  ["buyer.email", { buyer: { ...item.buyer, email: "a.b" } }, "is not an e-mail address"],
  ["buyer.email", { buyer: { ...item.buyer, email: "a@b@c" } }, "is not an e-mail address"],
  ["order.id", { order: { ...order, id: "1a" } }, "must be 1 to 20 digits"],
  ["order.name", { order: { ...order, name: "1001" } }, "must be '#' followed by 1 to 63 characters"],
  ["order.name", { order: { ...order, name: "#10\t01" } }, "contains a control character"],
  ["order.line", { order: { ...order, line: "" } }, "is empty"],
  ["order.line", { order: { ...order, line: "a\tb" } }, "contains a control character"],
  ["order.unit", { order: { ...order, unit: 0 } }, "must be 1 to 10000"],
  ["order.unit", { order: { ...order, unit: 10_001 } }, "must be 1 to 10000"],
  ["expires_at", { expiresAt: new Date(Number.NaN) }, "must be a date in the years 1 to 9999"],
  ["expires_at", { expiresAt: new Date(253_402_300_800_000) }, "must be a date in the years 1 to 9999"],
  ["expires_at", { expiresAt: new Date(-62_135_596_800_001) }, "must be a date in the years 1 to 9999"],
])("findItemProblem reports %s for %o", (field, changes, problem) => {
  expect(findItemProblem({ ...item, ...changes })).toEqual({ field, message: `${field} ${problem}` });
});

test("findItemProblem reports the first of several problems", () => {
  const broken = { ...item, product: { ...item.product, title: "" }, buyer: { name: "", email: "" } };
  expect(findItemProblem(broken)?.field).toBe("product.title");
});

test("findProductProblem prefixes the field with the given path", () => {
  const product = { ...item.product, sku: x(256) };
  expect(findProductProblem(product, "products[3]")).toEqual({
    field: "products[3].sku",
    message: "products[3].sku is longer than 255 characters",
  });
});

describe("issueKeyOf", () => {
  test("combines the order id, line and unit in the stored format", () => {
    expect(issueKeyOf(item)).toBe("450789469/1/1");
    expect(issueKeyOf({ ...item, order: { ...order, name: "#other" } })).toBe("450789469/1/1");
  });

  test("returns the import key of an item without an order, and null if the item has neither", () => {
    expect(issueKeyOf({ ...item, order: null, importKey: "import/a/0" })).toBe("import/a/0");
    expect(issueKeyOf({ ...item, importKey: "import/a/0" })).toBe("450789469/1/1");
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
