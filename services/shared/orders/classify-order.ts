import { isEmailAddress } from "#shared/email/email-address.ts";
import { textLimits } from "#shared/text/text-limits.ts";
import { onOneLine, textFault } from "./cell-text.ts";
import type { ExportColumn } from "./export-columns.ts";
import { isExportTime } from "./export-time.ts";
import type { WithdrawalReason } from "./order-unit-row.ts";

/** The cells of a row that describe its order, trimmed. The cell of an optional column that the file lacks is null. */
export interface OrderCells {
  readonly id: string;
  readonly email: string;
  readonly financialStatus: string;
  readonly paidAt: string | null;
  readonly billingName: string;
  readonly cancelledAt: string | null;
}

/** A cell that makes its row or its order unusable. */
export interface Fault {
  readonly kind: "unusable";
  readonly column: ExportColumn;
  readonly message: string;
}

/** The classification of an order by its first row. It applies to all rows of the order. */
export type OrderVerdict =
  | { readonly kind: "paid"; readonly id: string; readonly buyerName: string; readonly buyerEmail: string }
  | { readonly kind: "skipped"; readonly reason: "notPaid" }
  | { readonly kind: "withdrawn"; readonly reason: WithdrawalReason; readonly id: string }
  | Fault;

const unpaidStatuses = new Set(["pending", "authorized", "partially_paid", "voided", "expired", "unpaid"]);

/**
 * Returns whether a row has the details of its order, as only the first row of an order does in an export. Ignores the
 * e-mail address, which later rows may repeat.
 */
export function isFirstRow({ id, financialStatus, paidAt, billingName, cancelledAt }: OrderCells): boolean {
  return [id, financialStatus, paidAt, billingName, cancelledAt].some((cell) => cell !== null && cell !== "");
}

/**
 * Classifies an order by its first row. Reports only the first fault. The faults of an unpaid, refunded or cancelled
 * order need no correction and are not reported, except an invalid id of a refunded or cancelled order, because its
 * certificates are found by id.
 */
export function classifyOrder(cells: OrderCells): OrderVerdict {
  return classifyStatus(cells) ?? paidAtFault(cells.paidAt) ?? idFault(cells.id) ?? classifyBuyer(cells);
}

function classifyStatus({ id, cancelledAt, financialStatus }: OrderCells): OrderVerdict | null {
  if (cancelledAt !== null && cancelledAt !== "") return idFault(id) ?? { kind: "withdrawn", reason: "cancelled", id };
  if (financialStatus === "refunded") return idFault(id) ?? { kind: "withdrawn", reason: "refunded", id };
  if (financialStatus === "paid") return null;
  if (unpaidStatuses.has(financialStatus)) return { kind: "skipped", reason: "notPaid" };
  const problem =
    financialStatus === "partially_refunded"
      ? "The order is partially refunded, but the export does not name the refunded units; issue or revoke certificates by hand."
      : `The financial status is ${financialStatus === "" ? "empty" : "not recognized"}.`;
  return fault("Financial Status", problem);
}

function paidAtFault(paidAt: string | null): Fault | null {
  if (paidAt === null) return null;
  if (paidAt === "") return fault("Paid at", "The order is paid but has no time of payment.");
  if (isExportTime(paidAt)) return null;
  return fault("Paid at", "The time of payment is not a valid time in the format 2024-05-01 10:11:12 +0200.");
}

function idFault(id: string): Fault | null {
  if (/^\d{1,20}$/.test(id)) return null;
  if (id === "") return fault("Id", "The order id is empty.");
  // Scientific notation or decimals: 5.12E+12, 5123456789012.00
  if (/^\d+(?:[.,]\d+)?[Ee]\+?\d+$/.test(id) || /^\d+[.,]0+$/.test(id))
    return fault("Id", "A spreadsheet program has changed the order id; export the orders again.");
  return fault("Id", "The order id is not a number of 1 to 20 digits.");
}

function classifyBuyer({ id, email, billingName }: OrderCells): OrderVerdict {
  if (email === "") return fault("Email", "The e-mail address is empty.");
  if (!isEmailAddress(email)) return fault("Email", "The value is not an e-mail address.");
  const name = onOneLine(billingName).trim();
  if (name === "") return fault("Billing Name", "The buyer name is empty.");
  const nameFault = textFault(name, textLimits.personName.max);
  if (nameFault !== null) return fault("Billing Name", `The buyer name ${nameFault}.`);
  return { kind: "paid", id, buyerName: name, buyerEmail: email };
}

/** Builds a Fault for one cell of the export. @param message a sentence shown to the user */
export function fault(column: ExportColumn, message: string): Fault {
  return { kind: "unusable", column, message };
}
