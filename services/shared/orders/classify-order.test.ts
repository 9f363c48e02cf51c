import { describe, expect, test } from "vitest";
import { reasonText } from "../reasons/reason-text.ts";
import { classifyOrder, isExportTime, isFirstRow, type OrderCells } from "./classify-order.ts";
import { emptyOrderCells } from "./csv-fixture.ts";

const paid: OrderCells = {
  id: "5123456789012",
  email: "ann@example.com",
  financialStatus: "paid",
  paidAt: "2024-05-01 10:11:12 +0200",
  billingName: "Ann Lee",
  cancelledAt: "",
};

describe("isFirstRow", () => {
  test.each(["id", "financialStatus", "paidAt", "billingName", "cancelledAt"] as const)(
    "recognizes a first row by its %s",
    (cell) => {
      expect(isFirstRow({ ...emptyOrderCells, [cell]: paid[cell] || "x" })).toBe(true);
    },
  );

  test("ignores the e-mail address and columns that the file lacks", () => {
    expect(isFirstRow({ ...emptyOrderCells, email: "ann@example.com", paidAt: null, cancelledAt: null })).toBe(false);
  });
});

describe("classifyOrder", () => {
  test("returns the id and the buyer of a paid order", () => {
    const verdict = { kind: "paid", id: paid.id, buyerName: "Ann Lee", buyerEmail: "ann@example.com" };
    expect(classifyOrder(paid)).toEqual(verdict);
    expect(classifyOrder({ ...paid, paidAt: null, cancelledAt: null })).toEqual(verdict);
    expect(classifyOrder({ ...paid, billingName: "Ann\r\nLee" })).toEqual(verdict);
  });

  test.each(["pending", "authorized", "partially_paid", "voided", "expired", "unpaid"])(
    "skips an order with status %s",
    (financialStatus) => {
      const verdict = { kind: "skipped", reason: "notPaid" };
      expect(classifyOrder({ ...paid, financialStatus })).toEqual(verdict);
      expect(classifyOrder({ ...emptyOrderCells, financialStatus })).toEqual(verdict);
    },
  );

  const { id } = paid;
  const cancelledAt = "2024-05-02 10:11:12 +0200";

  test("classifies a cancelled order as withdrawn, whatever its financial status, and checks only its id", () => {
    const verdict = { kind: "withdrawn", reason: "cancelled", id };
    for (const financialStatus of ["paid", "pending", "refunded", "partially_refunded"])
      expect(classifyOrder({ ...paid, financialStatus, cancelledAt })).toEqual(verdict);
    expect(classifyOrder({ ...emptyOrderCells, id, cancelledAt })).toEqual(verdict);
  });

  test("classifies a refunded order as withdrawn, and checks only its id", () => {
    const verdict = { kind: "withdrawn", reason: "refunded", id };
    expect(classifyOrder({ ...paid, financialStatus: "refunded" })).toEqual(verdict);
    expect(classifyOrder({ ...emptyOrderCells, id, financialStatus: "refunded" })).toEqual(verdict);
  });

  test.each([{ cancelledAt }, { financialStatus: "refunded" }])(
    "rejects a refunded or cancelled order with an invalid id: %j",
    (cells) => {
      expect(classifyOrder({ ...paid, ...cells, id: "5.12E+12" })).toMatchObject({ kind: "unusable", column: "Id" });
    },
  );

  test.each<[Partial<OrderCells>, string, string]>([
    [{ financialStatus: "partially_refunded" }, "Financial Status", "by hand"],
    [{ financialStatus: "" }, "Financial Status", "empty"],
    [{ financialStatus: "Paid" }, "Financial Status", "not recognized"],
    [{ paidAt: "" }, "Paid at", "no time of payment"],
    [{ paidAt: "01.05.2024" }, "Paid at", "not a valid time in the format"],
    [{ id: "" }, "Id", "empty"],
    [{ id: "5.12E+12" }, "Id", "spreadsheet"],
    [{ id: "5,12E+12" }, "Id", "spreadsheet"],
    [{ id: "5E12" }, "Id", "spreadsheet"],
    [{ id: "5123456789012.00" }, "Id", "spreadsheet"],
    [{ id: "1".repeat(21) }, "Id", "digits"],
    [{ id: "'5123" }, "Id", "digits"],
    [{ id: "-1" }, "Id", "digits"],
    [{ email: "" }, "Email", "empty"],
    [{ email: "ann.example.com" }, "Email", "not an email address"],
    [{ billingName: "" }, "Billing Name", "empty"],
    [{ billingName: "a".repeat(256) }, "Billing Name", "255 characters"],
    [{ billingName: "Ann\u000bLee" }, "Billing Name", "control character"],
  ])("rejects %j, naming the column %s", (cells, column, why) => {
    const verdict = classifyOrder({ ...paid, ...cells });
    expect(verdict).toMatchObject({ kind: "unusable", column });
    expect(verdict.kind === "unusable" && reasonText(verdict.reason, "en")).toContain(why);
  });
});

describe("isExportTime", () => {
  test.each(["2024-05-01 10:11:12 +0200", "2024-02-29 00:00:00 -0430", "1999-12-31 23:59:59 +1400"])(
    "accepts %s",
    (text) => {
      expect(isExportTime(text)).toBe(true);
    },
  );

  test.each([
    "",
    "2024-05-01",
    "2024-05-01 10:11:12",
    "2024-05-01T10:11:12+02:00",
    "2023-02-29 10:11:12 +0200",
    "2024-13-01 10:11:12 +0200",
    "2024-00-01 10:11:12 +0200",
    "2024-05-00 10:11:12 +0200",
    "2024-05-01 24:00:00 +0200",
    "2024-05-01 10:60:00 +0200",
    "2024-05-01 10:00:60 +0200",
    "2024-05-01 10:11:12 +0260",
    "2024-05-01 10:11:12 +1500",
    "5/1/24 10:11",
  ])("rejects %j", (text) => {
    expect(isExportTime(text)).toBe(false);
  });
});
