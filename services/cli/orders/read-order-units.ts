import { byteSlices } from "./byte-slices.ts";
import { classifyLine } from "./classify-line.ts";
import { cellOf, type ExportColumns, rawCellOf, readHeader } from "./export-columns.ts";
import { ExportError } from "./export-error.ts";
import { OrderBook, type OrderRow, type PlacedRow } from "./order-book.ts";
import { orderNameFault } from "./order-name.ts";
import type { OrderUnitRow, UnusableRow } from "./order-unit-row.ts";
import { readRecords } from "./read-records.ts";
import type { CsvRecord } from "./record-parser.ts";

/** How far the file has been read. */
export interface ReadCounts {
  /** Bytes done with. */
  readonly bytes: number;
  /** Rows read, blank ones and the header not counted. */
  readonly rows: number;
  /** Orders (names) seen. */
  readonly orders: number;
}

/** Options of {@link readOrderUnits}. */
export interface ReadOrderUnitsOptions {
  /** Told how far the file has been read, after each 64 KiB at the latest and at the end; default: nobody is told. */
  readonly onRead?: (counts: ReadCounts) => void;
  /** How many rows may wait for their order's first row; default 10,000. Beyond it the oldest is unusable. */
  readonly heldRowsMax?: number;
}

/**
 * Reads a storefront's order export (CSV, UTF-8) row by row and yields the units to issue certificates for, the rows
 * that cannot be used and those that need none. Nothing is read on while the last value is being worked on. Memory
 * grows with the number of orders, not with that of rows.
 *
 * Fails with ExportError: at once where the header will not do, else after all rows before the place from which
 * nothing more can be read (but for those that then still wait for their order's first row).
 */
export async function* readOrderUnits(
  source: AsyncIterable<Uint8Array>,
  { onRead = () => undefined, heldRowsMax }: ReadOrderUnitsOptions = {},
): AsyncGenerator<OrderUnitRow, void, undefined> {
  const book = new OrderBook(heldRowsMax);
  let columns: ExportColumns | null = null;
  let rows = 0;
  let bytes = 0;
  const slices = byteSlices(source, (bytesDone) => {
    bytes = bytesDone;
    onRead({ bytes, rows, orders: book.orderCount });
  });
  try {
    for await (const record of readRecords(slices)) {
      if (columns === null) {
        columns = headerOf(record);
      } else if (record.cells.some((cell) => cell.trim() !== "")) {
        rows += 1;
        yield* rowsOf(record, columns, book);
      }
    }
    if (columns === null) throw new ExportError("The file is empty.");
    for (const row of book.close()) yield* decide(row);
  } finally {
    onRead({ bytes, rows, orders: book.orderCount });
  }
}

function headerOf({ line, cells, wellQuoted }: CsvRecord): ExportColumns {
  if (!wellQuoted) throw new ExportError("A quotation mark in the header is out of place.", { line });
  return readHeader(cells, line);
}

function* rowsOf(record: CsvRecord, columns: ExportColumns, book: OrderBook): Generator<OrderUnitRow> {
  const name = cellOf(columns, record.cells, "Name") ?? "";
  const nameFault = orderNameFault(name);
  const shapeFault = faultOfShape(record, columns);
  if (shapeFault !== null) {
    if (nameFault === null) book.addUnreadable(name);
    yield unusable(record.line, null, shapeFault);
  } else if (nameFault !== null) {
    yield unusable(record.line, "Name", nameFault);
  } else {
    for (const row of book.add(orderRow(record, columns, name))) yield* decide(row);
  }
}

function faultOfShape(
  { line, endLine, cells, wellQuoted }: CsvRecord,
  { cellCount }: ExportColumns,
): string | null {
  if (!wellQuoted) {
    const where = endLine > line ? ` It may hold the rows down to line ${endLine}.` : "";
    return `A quotation mark in this row is out of place.${where}`;
  }
  return cells.length === cellCount ? null : `The row has ${cells.length} cells, the header ${cellCount}.`;
}

function orderRow({ line, cells }: CsvRecord, columns: ExportColumns, name: string): OrderRow {
  const head = {
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
  return { line, name, head, verdict };
}

function* decide({ line, name, place, order, verdict }: PlacedRow): Generator<OrderUnitRow> {
  if (order.kind === "skipped") {
    yield { kind: "skipped", line, reason: order.reason };
  } else if (order.kind === "unusable") {
    yield { ...order, line };
  } else if (verdict.kind === "unusable") {
    yield { ...verdict, line };
  } else {
    const { title, variant, sku, quantity } = verdict;
    const product = { id: "", title, variant, sku } as const;
    const buyer = { name: order.buyerName, email: order.buyerEmail };
    for (let unit = 1; unit <= quantity; unit += 1) {
      yield {
        kind: "unit",
        line,
        item: { product, buyer, order: { id: order.id, name, line: String(place), unit } },
      };
    }
  }
}

function unusable(line: number, column: UnusableRow["column"], message: string): UnusableRow {
  return { kind: "unusable", line, column, message };
}
