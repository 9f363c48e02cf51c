import type { OrderCells } from "./classify-order.ts";
import type { ExportColumn } from "./export-columns.ts";

/** For tests: the columns that {@link exportText} writes by default. */
export const fixtureColumns: readonly ExportColumn[] = [
  ...(["Name", "Email", "Financial Status", "Paid at", "Lineitem quantity", "Lineitem name"] as const),
  ...(["Lineitem sku", "Billing Name", "Cancelled at", "Id"] as const),
];

/** For tests: the order cells of a row that is not the first row of its order. */
export const emptyOrderCells: OrderCells = {
  id: "",
  email: "",
  financialStatus: "",
  paidAt: "",
  billingName: "",
  cancelledAt: "",
};

/** For tests: the cells of a row by column; a missing cell is empty. */
export type FixtureRow = Partial<Record<ExportColumn, string>>;

/** For tests: the first row of a paid order with one "Harbour Print - A3". */
export function headRow(name: string, id: string, cells: FixtureRow = {}): FixtureRow {
  const order = { "Financial Status": "paid", "Paid at": "2024-05-01 10:11:12 +0200", Id: id };
  return { ...lineRow(name), Email: "ann@example.com", "Billing Name": "Ann Lee", ...order, ...cells };
}

/** For tests: a further row of an order. */
export function lineRow(name: string, cells: FixtureRow = {}): FixtureRow {
  const item = { "Lineitem quantity": "1", "Lineitem name": "Harbour Print - A3", "Lineitem sku": "HP-A3" };
  return { Name: name, ...item, ...cells };
}

/** For tests: the cells of a row in the order of the header. */
export function cellsOf(row: FixtureRow, columns: readonly ExportColumn[] = fixtureColumns): string[] {
  return columns.map((column) => row[column] ?? "");
}

/** For tests: a CSV record without its line ending; quotes all cells or only those that require it. */
export function recordText(cells: readonly string[], quoteAll = false): string {
  const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`;
  return cells.map((cell) => (quoteAll || /[",\r\n]/.test(cell) ? quoted(cell) : cell)).join(",");
}

/** For tests: an export with these rows and LF line endings. */
export function exportText(rows: readonly FixtureRow[], columns: readonly ExportColumn[] = fixtureColumns): string {
  const records = [columns, ...rows.map((row) => cellsOf(row, columns))];
  return records.map((cells) => `${recordText(cells)}\n`).join("");
}

/** For tests: the bytes of the text in chunks. */
export async function* bytesOf(text: string | Uint8Array, chunkBytes = 64): AsyncGenerator<Uint8Array> {
  const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
  for (let from = 0; from < bytes.byteLength; from += chunkBytes) yield bytes.subarray(from, from + chunkBytes);
}

/** For tests: collects all values of a source, and the error that ended the source, or null. */
export async function drain<Value>(source: AsyncIterable<Value>): Promise<{ values: Value[]; failure: unknown }> {
  const values: Value[] = [];
  try {
    for await (const value of source) values.push(value);
  } catch (failure) {
    return { values, failure };
  }
  return { values, failure: null };
}
