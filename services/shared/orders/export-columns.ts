import { type Reason, reason } from "../reasons/reason.ts";
import { ExportError } from "./export-error.ts";

const requiredColumns = [
  "Name",
  "Email",
  "Financial Status",
  "Lineitem quantity",
  "Lineitem name",
  "Billing Name",
  "Id",
] as const;
const optionalColumns = ["Lineitem sku", "Paid at", "Cancelled at"] as const;
const usedColumns = [...requiredColumns, ...optionalColumns];

/** A column of the order export that an import uses. Other columns are ignored. */
export type ExportColumn = (typeof requiredColumns)[number] | (typeof optionalColumns)[number];

/** The positions of the columns in each row. */
export interface ExportColumns {
  readonly cellCount: number;
  /** The index of each column. An optional column that the file lacks is absent. */
  readonly index: ReadonlyMap<ExportColumn, number>;
}

// Headings in lower case, with both spellings of "cancelled": an order must not pass as paid because "Canceled at" was
// ignored.
const columnByHeading = new Map<string, ExportColumn>([
  ...usedColumns.map((column) => [column.toLowerCase(), column] as const),
  ["canceled at", "Cancelled at"],
]);

/** First heading of a rejects file, which certctl writes for rows that it could not import completely. */
export const rejectedLineHeading = "Rejected line";

/**
 * Finds the columns in the header, in any order.
 *
 * @throws ExportError naming a required column that is missing, or a used column that occurs twice; also for the header
 * of a rejects file, because a row's position in its order, which identifies the row's certificates, can differ there
 */
export function readHeader(cells: readonly string[], line: number): ExportColumns {
  if (cells[0] === rejectedLineHeading) throw new ExportError(reason("rejects_file"), { line });
  const index = new Map<ExportColumn, number>();
  for (const [at, cell] of cells.entries()) {
    const column = columnByHeading.get(cell.trim().toLowerCase());
    if (column === undefined) continue;
    const earlier = index.get(column);
    if (earlier !== undefined) throw new ExportError(repeated(column, cells[earlier], cell), { line, column });
    index.set(column, at);
  }
  const missing = requiredColumns.find((column) => !index.has(column));
  if (missing !== undefined) {
    const hasOtherSeparator = cells.length === 1 && /[;\t]/.test(cells[0] ?? "");
    const code = hasOtherSeparator ? "columns_not_separated_by_commas" : "column_missing";
    throw new ExportError(reason(code, { column: missing }), { line, column: missing });
  }
  return { cellCount: cells.length, index };
}

function repeated(column: ExportColumn, earlier = "", later: string): Reason {
  const [one, other] = [earlier.trim(), later.trim()];
  return one.toLowerCase() === other.toLowerCase()
    ? reason("column_twice", { column })
    : reason("columns_with_same_meaning", { one, other });
}

/** Returns a cell unchanged, or null if the file has no such column or the row has too few cells. */
export function rawCellOf(columns: ExportColumns, cells: readonly string[], column: ExportColumn): string | null {
  const at = columns.index.get(column);
  return at === undefined ? null : (cells[at] ?? null);
}

/** Returns a cell without surrounding white space, or null if {@link rawCellOf} returns null. */
export function cellOf(columns: ExportColumns, cells: readonly string[], column: ExportColumn): string | null {
  return rawCellOf(columns, cells, column)?.trim() ?? null;
}

const columnByField = new Map<string, ExportColumn>([
  ["product.title", "Lineitem name"],
  ["product.variant", "Lineitem name"],
  ["product.sku", "Lineitem sku"],
  ["buyer.email", "Email"],
  ["buyer.name", "Billing Name"],
  ["order.id", "Id"],
  ["order.name", "Name"],
  ["order.unit", "Lineitem quantity"],
]);

/** Returns the export column that fills a field of an issue item, such as `buyer.email`; null if none does. */
export function columnOfField(field: string | undefined): ExportColumn | null {
  return columnByField.get(field ?? "") ?? null;
}
