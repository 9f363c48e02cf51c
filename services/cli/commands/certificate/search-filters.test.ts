import { expect, test } from "vitest";
import { searchFilters } from "./search-filters.ts";

test.each([
  ["Ada@Example.test", [{ email: "Ada@Example.test" }]],
  ["#A-1", [{ order: { case: "orderName", value: "#A-1" } }]],
  ["crt_1", "id"],
])("interprets %s in only one way", (text, filters) => {
  expect(searchFilters(text)).toEqual(filters);
});

test("searches for a number as a serial number, an order number and an order id", () => {
  expect(searchFilters("1001")).toEqual([
    { serial: "1001" },
    { order: { case: "orderName", value: "#1001" } },
    { order: { case: "orderId", value: "1001" } },
  ]);
});

test.each(["Ada", "ada@", "1001a", "walnut vase"])("searches for the words of %j", (text) => {
  expect(searchFilters(text)).toEqual([{ search: text }]);
});
