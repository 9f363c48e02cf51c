import { textLimits } from "#shared/text/text-limits.ts";
import { type Reason, reason } from "../reasons/reason.ts";
import { textFault } from "./cell-text.ts";
import { classifyLine } from "./classify-line.ts";
import { cellOf, type ExportColumns, rawCellOf, readHeader } from "./export-columns.ts";
import { ExportError } from "./export-error.ts";
import { type MatchedRow, OrderMatcher, type OrderRow } from "./order-matcher.ts";
import type { OrderUnitRow, UnusableRow } from "./order-unit-row.ts";
import { type CsvRecord, readRecords } from "./read-records.ts";

/** The progress of the reader. */
export interface ReadCounts {
  /** Bytes of the chunks read so far, except the chunk whose rows are being processed. */
  readonly bytes: number;
  /** Rows, excluding blank rows and the header. */
  readonly rows: number;
  readonly orders: number;
}

/**
 * Reads an order export (CSV, UTF-8) row by row and yields the units for which to issue certificates, the unusable
 * rows, and the rows of unpaid, refunded and cancelled orders. Reads no further while a result is being processed.
 * Memory grows with the number of orders, not of rows.
 *
 * @param onRead called after each chunk of the source and at the end
 * @throws ExportError immediately for an empty file or an unusable header, otherwise after yielding the rows before the
 * fault, except rows that still wait for the first row of their order
 */
export async function* readOrderUnits(
  source: AsyncIterable<Uint8Array>,
  onRead: (counts: ReadCounts) => void = () => undefined,
): AsyncGenerator<OrderUnitRow, void, undefined> {
  const orders = new OrderMatcher();
  let columns: ExportColumns | null = null;
  let rows = 0;
  let bytes = 0;
  const report = () => onRead({ bytes, rows, orders: orders.orderCount });
  async function* countedChunks(): AsyncGenerator<Uint8Array> {
    for await (const chunk of source) {
      yield chunk;
      bytes += chunk.byteLength;
      report();
    }
  }
  try {
    for await (const record of readRecords(countedChunks())) {
      if (columns === null) {
        columns = headerOf(record);
      } else if (record.cells.some((cell) => cell.trim() !== "")) {
        rows += 1;
        yield* rowsOf(record, columns, orders);
      }
    }
    if (columns === null) throw new ExportError(reason("file_empty"));
    for (const row of orders.close()) yield* unitsOf(row);
  } finally {
    report();
  }
}

function headerOf({ line, cells, wellQuoted }: CsvRecord): ExportColumns {
  if (!wellQuoted) throw new ExportError(reason("header_misquoted"), { line });
  return readHeader(cells, line);
}

function* rowsOf(record: CsvRecord, columns: ExportColumns, orders: OrderMatcher): Generator<OrderUnitRow> {
  const name = cellOf(columns, record.cells, "Name") ?? "";
  const nameFault = orderNameFault(name);
  const shapeFault = shapeFaultOf(record, columns);
  if (shapeFault !== null) {
    if (nameFault === null) orders.addUnreadable(name);
    yield unusable(record.line, null, shapeFault);
  } else if (nameFault !== null) {
    yield unusable(record.line, "Name", nameFault);
  } else {
    for (const row of orders.add(orderRow(record, columns, name))) yield* unitsOf(row);
  }
}

function shapeFaultOf({ line, endLine, cells, wellQuoted }: CsvRecord, { cellCount }: ExportColumns): Reason | null {
  if (!wellQuoted) return endLine > line ? reason("row_misquoted_to_line", { line: endLine }) : reason("row_misquoted");
  return cells.length === cellCount ? null : reason("row_cell_count", { cells: cells.length, expected: cellCount });
}

function orderRow({ line, cells }: CsvRecord, columns: ExportColumns, name: string): OrderRow {
  const orderCells = {
    id: cellOf(columns, cells, "Id") ?? "",
    email: cellOf(columns, cells, "Email") ?? "",
    financialStatus: cellOf(columns, cells, "Financial Status") ?? "",
    paidAt: cellOf(columns, cells, "Paid at"),
    billingName: cellOf(columns, cells, "Billing Name") ?? "",
    cancelledAt: cellOf(columns, cells, "Cancelled at"),
  };
  const verdict = classifyLine({
    quantity: cellOf(columns, cells, "Lineitem quantity") ?? "",
    name: rawCellOf(columns, cells, "Lineitem name") ?? "",
    sku: cellOf(columns, cells, "Lineitem sku") ?? "",
  });
  return { line, name, orderCells, verdict };
}

function* unitsOf({ line, name, position, order, verdict }: MatchedRow): Generator<OrderUnitRow> {
  if (order.kind === "skipped") {
    yield { kind: "skipped", line, reason: order.reason };
  } else if (order.kind === "withdrawn") {
    yield { kind: "withdrawn", line, reason: order.reason, order: { id: order.id, name } };
  } else if (order.kind === "unusable") {
    yield { ...order, line };
  } else if (verdict.kind === "unusable") {
    yield { ...verdict, line };
  } else {
    const { title, variant, sku, quantity } = verdict;
    const product = { id: "", title, variant, sku } as const;
    const buyer = { name: order.buyerName, email: order.buyerEmail };
    for (let unit = 1; unit <= quantity; unit += 1) {
      const key = { id: order.id, name, line: String(position), unit };
      yield { kind: "unit", line, item: { product, buyer, order: key } };
    }
  }
}

function unusable(line: number, column: UnusableRow["column"], why: Reason): UnusableRow {
  return { kind: "unusable", line, column, reason: why };
}

/**
 * Checks an order's name: `#`, then 1 to 63 characters other than control characters. Returns the fault, or
 * null for a valid name.
 */
export function orderNameFault(name: string): Reason | null {
  if (name === "") return reason("order_name_empty");
  if (!name.startsWith("#")) return reason("order_name_without_hash");
  if (name === "#") return reason("order_name_only_hash");
  return textFault("order_name", name, textLimits.orderName.max);
}
