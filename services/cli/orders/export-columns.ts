import { ExportError } from "./export-error.ts";

const REQUIRED = [
  "Name",
  "Email",
  "Financial Status",
  "Lineitem quantity",
  "Lineitem name",
  "Billing Name",
  "Id",
] as const;
const OPTIONAL = ["Lineitem sku", "Paid at", "Cancelled at"] as const;
const USED = [...REQUIRED, ...OPTIONAL];

/** A column of the order export that is read; the others are ignored. */
export type ExportColumn = (typeof REQUIRED)[number] | (typeof OPTIONAL)[number];

/** Where the columns are in each row. */
export interface ExportColumns {
  /** How many cells each row must have. */
  readonly cellCount: number;
  /** Index of each column that the file has; an optional column that it lacks is absent. */
  readonly index: ReadonlyMap<ExportColumn, number>;
}

// Capitals do not matter, and the American spelling is the same column: a cancelled order must never pass as paid.
const CANONICAL = new Map<string, ExportColumn>([
  ...USED.map((column) => [column.toLowerCase(), column] as const),
  ["canceled at", "Cancelled at"],
]);

/**
 * Finds the columns in the header's cells; their order is free. Fails with {@link ExportError} naming the column
 * where a required one is missing or one that is read stands there twice.
 */
export function readHeader(cells: readonly string[], line: number): ExportColumns {
  const index = new Map<ExportColumn, number>();
  for (const [at, cell] of cells.entries()) {
    const column = CANONICAL.get(cell.trim().toLowerCase());
    if (column === undefined) continue;
    if (index.has(column)) {
      throw new ExportError(`The column "${column}" stands twice in the header.`, { line, column });
    }
    index.set(column, at);
  }
  const missing = REQUIRED.find((column) => !index.has(column));
  if (missing !== undefined) {
    const hint =
      cells.length === 1 && /[;\t]/.test(cells[0] ?? "") ? " Its cells must be parted by commas." : "";
    throw new ExportError(`The column "${missing}" is missing in the header.${hint}`, {
      line,
      column: missing,
    });
  }
  return { cellCount: cells.length, index };
}

/** A row's cell as it is; null where the file does not have the column (or the row the cell). */
export function rawCellOf(
  columns: ExportColumns,
  cells: readonly string[],
  column: ExportColumn,
): string | null {
  const at = columns.index.get(column);
  return at === undefined ? null : (cells[at] ?? null);
}

/** A row's cell without white space at its ends; null as {@link rawCellOf} has it. */
export function cellOf(
  columns: ExportColumns,
  cells: readonly string[],
  column: ExportColumn,
): string | null {
  return rawCellOf(columns, cells, column)?.trim() ?? null;
}
