import { describe, expect, test } from "vitest";
import type { LineVerdict } from "./classify-line.ts";
import type { OrderCells } from "./classify-order.ts";
import { emptyOrderCells } from "./csv-fixture.ts";
import { type MatchedRow, OrderMatcher, type OrderRow } from "./order-matcher.ts";

const verdict: LineVerdict = { kind: "sold", title: "Mug", variant: "", sku: "", quantity: 1 };
let line = 1;

function firstRow(name: string, id: string, cells: Partial<OrderCells> = {}): OrderRow {
  const paid = { financialStatus: "paid", paidAt: "2024-05-01 10:11:12 +0200", billingName: "Ann" };
  line += 1;
  const orderCells = { ...emptyOrderCells, ...paid, id, email: "ann@example.com", ...cells };
  return { line, name, orderCells, verdict };
}

function laterRow(name: string, cells: Partial<OrderCells> = {}): OrderRow {
  line += 1;
  return { line, name, orderCells: { ...emptyOrderCells, ...cells }, verdict };
}

function placesOf(rows: readonly MatchedRow[]): string[] {
  return rows.map(({ name, position, order }) => {
    const what = { paid: "id", skipped: "reason", withdrawn: "reason", unusable: "column" }[order.kind];
    return `${name}/${position} ${Object(order)[what]}`;
  });
}

describe("OrderMatcher", () => {
  test("numbers the rows of an order in file order", () => {
    const matcher = new OrderMatcher();
    expect(placesOf(matcher.add(firstRow("#1", "11")))).toEqual(["#1/1 11"]);
    expect(placesOf(matcher.add(firstRow("#2", "22")))).toEqual(["#2/1 22"]);
    expect(placesOf(matcher.add(laterRow("#1")))).toEqual(["#1/2 11"]);
    expect(placesOf(matcher.add(laterRow("#2", { email: "ann@example.com" })))).toEqual(["#2/2 22"]);
    expect(matcher.orderCount).toBe(2);
  });

  test("holds rows that precede the row with the order's details, and keeps their positions", () => {
    const matcher = new OrderMatcher();
    expect(matcher.add(laterRow("#1"))).toEqual([]);
    expect(matcher.add(laterRow("#1"))).toEqual([]);
    expect(placesOf(matcher.add(firstRow("#1", "11")))).toEqual(["#1/1 11", "#1/2 11", "#1/3 11"]);
    expect(matcher.close()).toEqual([]);
  });

  test("returns held rows at the end if the row with the order's details is missing", () => {
    const matcher = new OrderMatcher();
    matcher.add(laterRow("#1"));
    matcher.add(laterRow("#2"));
    expect(placesOf(matcher.close())).toEqual(["#1/1 Id", "#2/1 Id"]);
  });

  test("evicts the oldest held row when the limit is exceeded, and still matches the remaining rows", () => {
    const matcher = new OrderMatcher(1);
    matcher.add(laterRow("#1"));
    const evicted = matcher.add(laterRow("#1"));
    expect(placesOf(evicted)).toEqual(["#1/1 Id"]);
    expect(evicted[0]).toMatchObject({ order: { reason: { code: "order_first_row_too_late" } } });
    expect(placesOf(matcher.add(firstRow("#1", "11")))).toEqual(["#1/2 11", "#1/3 11"]);
  });

  test("counts unreadable rows when numbering later rows", () => {
    const matcher = new OrderMatcher();
    matcher.add(firstRow("#1", "11"));
    matcher.addUnreadable("#1");
    expect(placesOf(matcher.add(laterRow("#1")))).toEqual(["#1/3 11"]);
  });

  test("applies the fault or the cancellation in an order's first row to the order's later rows", () => {
    const matcher = new OrderMatcher();
    matcher.add(firstRow("#1", "5.1E+12"));
    expect(placesOf(matcher.add(laterRow("#1")))).toEqual(["#1/2 Id"]);
    matcher.add(firstRow("#2", "22", { email: "ann" }));
    expect(placesOf(matcher.add(laterRow("#2")))).toEqual(["#2/2 Email"]);
    matcher.add(firstRow("#3", "33", { cancelledAt: "2024-05-01 10:11:12 +0200" }));
    expect(placesOf(matcher.add(laterRow("#3")))).toEqual(["#3/2 cancelled"]);
  });
});

describe("OrderMatcher with a repeated order name", () => {
  test("treats a repeated first row, with the same id or without an id, as a later row", () => {
    const matcher = new OrderMatcher();
    matcher.add(firstRow("#1", "11"));
    expect(placesOf(matcher.add(firstRow("#1", "11", { email: "bob@example.com" })))).toEqual(["#1/2 11"]);
    expect(placesOf(matcher.add(laterRow("#1", { billingName: "Ann" })))).toEqual(["#1/3 11"]);
  });

  test("rejects a row with a different id, and all later rows without an id", () => {
    const matcher = new OrderMatcher();
    matcher.add(firstRow("#1", "11"));
    expect(placesOf(matcher.add(firstRow("#1", "12")))).toEqual(["#1/2 Id"]);
    expect(placesOf(matcher.add(laterRow("#1")))).toEqual(["#1/3 Id"]);
    expect(placesOf(matcher.add(firstRow("#1", "11")))).toEqual(["#1/4 11"]);
  });
});

test("rejects a second order with the same id, which would get the first order's certificates", () => {
  const matcher = new OrderMatcher();
  matcher.add(firstRow("#1", "11"));
  expect(placesOf(matcher.add(firstRow("#2", "11")))).toEqual(["#2/1 Id"]);
  expect(placesOf(matcher.add(laterRow("#1")))).toEqual(["#1/2 11"]);
});

test("rejects a cancelled order with the id of a paid order, whose certificates it would revoke", () => {
  const matcher = new OrderMatcher();
  matcher.add(firstRow("#1", "11"));
  const [cancelled] = matcher.add(firstRow("#2", "11", { cancelledAt: "2024-05-02 10:11:12 +0200" }));
  expect(cancelled).toMatchObject({ order: { kind: "unusable", column: "Id" } });
});
