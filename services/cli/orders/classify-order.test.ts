import { describe, expect, test } from "vitest";
import { classifyOrder, type HeadCells, isHead } from "./classify-order.ts";

const PAID: HeadCells = {
  id: "5123456789012",
  email: "ann@example.com",
  financialStatus: "paid",
  paidAt: "2024-05-01 10:11:12 +0200",
  billingName: "Ann Lee",
  cancelledAt: "",
};
const EMPTY: HeadCells = {
  id: "",
  email: "",
  financialStatus: "",
  paidAt: "",
  billingName: "",
  cancelledAt: "",
};

describe("a row is its order's first one", () => {
  test.each(["id", "financialStatus", "paidAt", "billingName", "cancelledAt"] as const)(
    "by its %s",
    (cell) => {
      expect(isHead({ ...EMPTY, [cell]: PAID[cell] || "x" })).toBe(true);
    },
  );

  test("not by its e-mail address alone, nor by columns that the file lacks", () => {
    expect(isHead({ ...EMPTY, email: "ann@example.com", paidAt: null, cancelledAt: null })).toBe(false);
  });
});

describe("an order", () => {
  test("that is paid is issued for, to its buyer", () => {
    const verdict = {
      kind: "paid",
      id: "5123456789012",
      buyerName: "Ann Lee",
      buyerEmail: "ann@example.com",
    };
    expect(classifyOrder(PAID)).toEqual(verdict);
    expect(classifyOrder({ ...PAID, paidAt: null, cancelledAt: null })).toEqual(verdict);
    expect(classifyOrder({ ...PAID, billingName: "Ann\r\nLee" })).toEqual(verdict);
  });

  test.each(["pending", "authorized", "partially_paid", "refunded", "voided", "expired", "unpaid"])(
    "that is %s needs no certificate",
    (financialStatus) => {
      const verdict = { kind: "skipped", reason: "not_paid" };
      expect(classifyOrder({ ...PAID, financialStatus })).toEqual(verdict);
      expect(classifyOrder({ ...EMPTY, financialStatus })).toEqual(verdict);
    },
  );

  test("that is cancelled needs no certificate, paid or not, whatever else is wrong", () => {
    const verdict = { kind: "skipped", reason: "cancelled" };
    const cancelledAt = "2024-05-02 10:11:12 +0200";
    expect(classifyOrder({ ...PAID, cancelledAt })).toEqual(verdict);
    expect(classifyOrder({ ...EMPTY, financialStatus: "partially_refunded", cancelledAt })).toEqual(verdict);
  });

  test.each<[Partial<HeadCells>, string, string]>([
    [{ financialStatus: "partially_refunded" }, "Financial Status", "issue by hand"],
    [{ financialStatus: "" }, "Financial Status", "empty"],
    [{ financialStatus: "Paid" }, "Financial Status", "unknown"],
    [{ paidAt: "" }, "Paid at", "no time of payment"],
    [{ paidAt: "01.05.2024" }, "Paid at", "not written as"],
    [{ id: "" }, "Id", "empty"],
    [{ id: "5.12E+12" }, "Id", "spreadsheet"],
    [{ id: "5,12E+12" }, "Id", "spreadsheet"],
    [{ id: "5E12" }, "Id", "spreadsheet"],
    [{ id: "5123456789012.00" }, "Id", "spreadsheet"],
    [{ id: "1".repeat(21) }, "Id", "digits"],
    [{ id: "'5123" }, "Id", "digits"],
    [{ id: "-1" }, "Id", "digits"],
    [{ email: "" }, "Email", "empty"],
    [{ email: "ann.example.com" }, "Email", "not an e-mail address"],
    [{ billingName: "" }, "Billing Name", "empty"],
    [{ billingName: "a".repeat(256) }, "Billing Name", "255 characters"],
    [{ billingName: "Ann\u000bLee" }, "Billing Name", "control character"],
  ])("with %j is unusable for its column %s", (cells, column, why) => {
    const verdict = classifyOrder({ ...PAID, ...cells });
    expect(verdict).toMatchObject({ kind: "unusable", column });
    expect(verdict.kind === "unusable" && verdict.message).toContain(why);
  });
});
