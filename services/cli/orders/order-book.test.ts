import { describe, expect, test } from "vitest";
import type { LineVerdict } from "./classify-line.ts";
import type { HeadCells } from "./classify-order.ts";
import { OrderBook, type OrderRow, type PlacedRow } from "./order-book.ts";

const NO_HEAD: HeadCells = {
  id: "",
  email: "",
  financialStatus: "",
  paidAt: "",
  billingName: "",
  cancelledAt: "",
};
const VERDICT: LineVerdict = { kind: "sold", title: "Mug", variant: "", sku: "", quantity: 1 };
let line = 1;

function head(name: string, id: string, cells: Partial<HeadCells> = {}): OrderRow {
  const paid = { financialStatus: "paid", paidAt: "2024-05-01 10:11:12 +0200", billingName: "Ann" };
  line += 1;
  return {
    line,
    name,
    head: { ...NO_HEAD, ...paid, id, email: "ann@example.com", ...cells },
    verdict: VERDICT,
  };
}

function further(name: string, cells: Partial<HeadCells> = {}): OrderRow {
  line += 1;
  return { line, name, head: { ...NO_HEAD, ...cells }, verdict: VERDICT };
}

function told(rows: readonly PlacedRow[]): string[] {
  return rows.map(({ name, place, order }) => {
    const what = order.kind === "paid" ? order.id : order.kind === "skipped" ? order.reason : order.column;
    return `${name}/${place} ${what}`;
  });
}

describe("the rows of an order", () => {
  test("follow their first row, with their places in the file", () => {
    const book = new OrderBook();
    expect(told(book.add(head("#1", "11")))).toEqual(["#1/1 11"]);
    expect(told(book.add(head("#2", "22")))).toEqual(["#2/1 22"]);
    expect(told(book.add(further("#1")))).toEqual(["#1/2 11"]);
    expect(told(book.add(further("#2", { email: "ann@example.com" })))).toEqual(["#2/2 22"]);
    expect(book.orderCount).toBe(2);
  });

  test("wait where they come before it, and keep their places", () => {
    const book = new OrderBook();
    expect(book.add(further("#1"))).toEqual([]);
    expect(book.add(further("#1"))).toEqual([]);
    expect(told(book.add(head("#1", "11")))).toEqual(["#1/1 11", "#1/2 11", "#1/3 11"]);
    expect(book.close()).toEqual([]);
  });

  test("are told at the end where it never comes", () => {
    const book = new OrderBook();
    book.add(further("#1"));
    book.add(further("#2"));
    expect(told(book.close())).toEqual(["#1/1 Id", "#2/1 Id"]);
  });

  test("that waited longest are told when too many wait; the others still get their order", () => {
    const book = new OrderBook(1);
    book.add(further("#1"));
    expect(told(book.add(further("#1")))).toEqual(["#1/1 Id"]);
    expect(told(book.add(head("#1", "11")))).toEqual(["#1/2 11", "#1/3 11"]);
  });

  test("that cannot be read are counted, so that the places of the others stay", () => {
    const book = new OrderBook();
    book.add(head("#1", "11"));
    book.addUnreadable("#1");
    expect(told(book.add(further("#1")))).toEqual(["#1/3 11"]);
  });

  test("share what its first row says, fault or skip", () => {
    const book = new OrderBook();
    book.add(head("#1", "5.1E+12"));
    expect(told(book.add(further("#1")))).toEqual(["#1/2 Id"]);
    book.add(head("#2", "22", { email: "ann" }));
    expect(told(book.add(further("#2")))).toEqual(["#2/2 Email"]);
    book.add(head("#3", "33", { cancelledAt: "2024-05-01 10:11:12 +0200" }));
    expect(told(book.add(further("#3")))).toEqual(["#3/2 cancelled"]);
  });
});

describe("a second first row of a name", () => {
  test("with the same id, or none, is a further row", () => {
    const book = new OrderBook();
    book.add(head("#1", "11"));
    expect(told(book.add(head("#1", "11", { email: "bob@example.com" })))).toEqual(["#1/2 11"]);
    expect(told(book.add(further("#1", { billingName: "Ann" })))).toEqual(["#1/3 11"]);
  });

  test("with another id is unusable, and so are rows without an id from then on", () => {
    const book = new OrderBook();
    book.add(head("#1", "11"));
    expect(told(book.add(head("#1", "12")))).toEqual(["#1/2 Id"]);
    expect(told(book.add(further("#1")))).toEqual(["#1/3 Id"]);
    expect(told(book.add(head("#1", "11")))).toEqual(["#1/4 11"]);
  });
});

test("two orders of one id are not both issued: the second would pass as the first", () => {
  const book = new OrderBook();
  book.add(head("#1", "11"));
  expect(told(book.add(head("#2", "11")))).toEqual(["#2/1 Id"]);
  expect(told(book.add(further("#1")))).toEqual(["#1/2 11"]);
});
