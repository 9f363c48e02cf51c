import { expect, test } from "vitest";
import { searchFilters } from "./search-filters.ts";

test.each([
  ["Ada@Example.test", [{ email: "Ada@Example.test" }]],
  ["#A-1", [{ order: { case: "orderName", value: "#A-1" } }]],
  ["crt_1", "id"],
])("searches for %s by its only meaning", (text, filters) => {
  expect(searchFilters(text)).toEqual(filters);
});

test("searches for a number as a serial number, in an order name and as an order id", () => {
  expect(searchFilters("1001")).toEqual([
    { serial: "1001" },
    { order: { case: "orderName", value: "#1001" } },
    { order: { case: "orderId", value: "1001" } },
  ]);
});

test.each(["", "Ada", "1001a"])("rejects %j, which no certificate can be found by", (text) => {
  expect(() => searchFilters(text)).toThrow("is not an e-mail address, an order name");
});
