import { isEmailAddress } from "#shared/email/email-address.ts";
import { onOneLine, textFault } from "./cell-text.ts";
import type { ExportColumn } from "./export-columns.ts";
import { isExportTime } from "./export-time.ts";
import type { SkipReason } from "./order-unit-row.ts";

/** The order's own cells of a row, trimmed; null where the file does not have the column. */
export interface HeadCells {
  readonly id: string;
  readonly email: string;
  readonly financialStatus: string;
  readonly paidAt: string | null;
  readonly billingName: string;
  readonly cancelledAt: string | null;
}

/** A cell that breaks a rule. */
export interface Fault {
  readonly kind: "unusable";
  /** Its column. */
  readonly column: ExportColumn;
  /** A sentence for people. */
  readonly message: string;
}

/** What an order's first row says about all of the order's rows. */
export type HeadVerdict =
  | { readonly kind: "paid"; readonly id: string; readonly buyerName: string; readonly buyerEmail: string }
  | { readonly kind: "skipped"; readonly reason: SkipReason }
  | Fault;

const NAME_CHARACTERS_MAX = 255;
const NOT_PAID = new Set([
  "pending",
  "authorized",
  "partially_paid",
  "refunded",
  "voided",
  "expired",
  "unpaid",
]);

/**
 * Whether these cells make a row an order's first one. An e-mail address alone does not: some exports repeat it in
 * each row.
 */
export function isHead(cells: HeadCells): boolean {
  const { id, financialStatus, paidAt, billingName, cancelledAt } = cells;
  return [id, financialStatus, paidAt, billingName, cancelledAt].some((cell) => cell !== null && cell !== "");
}

/** Judges an order by its first row: skipped before all (nobody repairs a cancelled order), then the first fault. */
export function classifyOrder(cells: HeadCells): HeadVerdict {
  return classifyStatus(cells) ?? judgePaidAt(cells.paidAt) ?? judgeId(cells.id) ?? judgeBuyer(cells);
}

function classifyStatus({ cancelledAt, financialStatus }: HeadCells): HeadVerdict | null {
  if (cancelledAt !== null && cancelledAt !== "") return { kind: "skipped", reason: "cancelled" };
  if (financialStatus === "paid") return null;
  if (NOT_PAID.has(financialStatus)) return { kind: "skipped", reason: "not_paid" };
  if (financialStatus === "partially_refunded") {
    return fault(
      "Financial Status",
      "The order is partially refunded, of which units cannot be told; issue by hand.",
    );
  }
  return financialStatus === ""
    ? fault("Financial Status", "The financial status is empty.")
    : fault("Financial Status", "The financial status is unknown.");
}

function judgePaidAt(paidAt: string | null): Fault | null {
  if (paidAt === null) return null;
  if (paidAt === "") return fault("Paid at", "The order is paid but has no time of payment.");
  if (isExportTime(paidAt)) return null;
  return fault("Paid at", "The time of payment is not written as 2024-05-01 10:11:12 +0200.");
}

function judgeId(id: string): Fault | null {
  if (/^\d{1,20}$/.test(id)) return null;
  if (id === "") return fault("Id", "The order id is empty.");
  if (/^\d+(?:[.,]\d+)?[Ee]\+?\d+$/.test(id) || /^\d+[.,]0+$/.test(id)) {
    return fault("Id", "The order id was damaged by a spreadsheet; export the orders again.");
  }
  return fault("Id", "The order id is not 1 to 20 digits.");
}

function judgeBuyer({ id, email, billingName }: HeadCells): HeadVerdict {
  if (email === "") return fault("Email", "The e-mail address is empty.");
  if (!isEmailAddress(email)) return fault("Email", "This is not an e-mail address.");
  const name = onOneLine(billingName).trim();
  if (name === "") return fault("Billing Name", "The buyer's name is empty.");
  const wrong = textFault(name, NAME_CHARACTERS_MAX);
  if (wrong !== null) return fault("Billing Name", `The buyer's name ${wrong}.`);
  return { kind: "paid", id, buyerName: name, buyerEmail: email };
}

function fault(column: ExportColumn, message: string): Fault {
  return { kind: "unusable", column, message };
}
