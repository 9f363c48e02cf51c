import { isEmailAddress } from "#shared/email/email-address.ts";
import { textLimits } from "#shared/text/text-limits.ts";
import { parseIsoTime } from "#shared/time/iso-time.ts";
import { type Reason, reason } from "../reasons/reason.ts";
import { onOneLine, textFault } from "./cell-text.ts";
import type { ExportColumn } from "./export-columns.ts";
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
  readonly reason: Reason;
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
  if (financialStatus === "partially_refunded") return fault("Financial Status", reason("order_partly_refunded"));
  const code = financialStatus === "" ? "financial_status_empty" : "financial_status_unknown";
  return fault("Financial Status", reason(code));
}

function paidAtFault(paidAt: string | null): Fault | null {
  if (paidAt === null) return null;
  if (paidAt === "") return fault("Paid at", reason("paid_at_missing"));
  if (isExportTime(paidAt)) return null;
  return fault("Paid at", reason("paid_at_invalid"));
}

function idFault(id: string): Fault | null {
  if (/^\d{1,20}$/.test(id)) return null;
  if (id === "") return fault("Id", reason("order_id_empty"));
  // Scientific notation or decimals: 5.12E+12, 5123456789012.00
  if (/^\d+(?:[.,]\d+)?[Ee]\+?\d+$/.test(id) || /^\d+[.,]0+$/.test(id))
    return fault("Id", reason("order_id_changed_by_spreadsheet"));
  return fault("Id", reason("order_id_invalid"));
}

function classifyBuyer({ id, email, billingName }: OrderCells): OrderVerdict {
  if (email === "") return fault("Email", reason("email_empty"));
  if (!isEmailAddress(email)) return fault("Email", reason("email_invalid"));
  const name = onOneLine(billingName).trim();
  if (name === "") return fault("Billing Name", reason("buyer_name_empty"));
  const nameFault = textFault("buyer_name", name, textLimits.personName.max);
  if (nameFault !== null) return fault("Billing Name", nameFault);
  return { kind: "paid", id, buyerName: name, buyerEmail: email };
}

/** Builds a Fault for one cell of the export. */
export function fault(column: ExportColumn, why: Reason): Fault {
  return { kind: "unusable", column, reason: why };
}

const shape = /^([-\d]+) ([:\d]+) [+-](?:0\d|1[0-4])[0-5]\d$/;

/** Returns whether the text is a valid time in the export's format (`2024-05-01 10:11:12 +0200`). */
export function isExportTime(text: string): boolean {
  return shape.test(text) && parseIsoTime(text.replace(shape, "$1T$2Z")) !== undefined;
}
