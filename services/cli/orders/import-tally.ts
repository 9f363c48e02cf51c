import { columnOfField } from "./column-of-field.ts";
import type { ExportColumn } from "./export-columns.ts";
import type { SkippedRow, UnitRow, UnusableRow } from "./order-unit-row.ts";
import type { ReadCounts } from "./read-order-units.ts";

/** What became of one unit. */
export interface IssueResult {
  readonly outcome: "issued" | "already_issued" | "invalid" | "sold_out";
  /** Where the item breaks a rule: the field, as `buyer.email`. */
  readonly field?: string;
  /** A sentence for people. */
  readonly message?: string;
}

/** A row for which not all certificates were issued. */
export interface ImportProblem {
  /** Physical line where the row begins, 1-based, the header being line 1. */
  readonly line: number;
  /** The faulty column; null where the row as a whole is meant. */
  readonly column: ExportColumn | null;
  /** A sentence for people. */
  readonly message: string;
}

/** The sum of an import. units = issued + already_issued + invalid + sold_out. */
export interface ImportSummary {
  /** Rows read, the header not counted. */
  readonly rows: number;
  /** Orders seen. */
  readonly orders: number;
  /** Units sent to be issued. */
  readonly units: number;
  /** Units that got a certificate. */
  readonly issued: number;
  /** Units that had theirs already. */
  readonly already_issued: number;
  /** Units refused; their rows are in `unusable`. */
  readonly invalid: number;
  /** Units whose product's edition has no number left. */
  readonly sold_out: number;
  /** Rows that need no certificate. */
  readonly skipped: { readonly not_paid: number; readonly cancelled: number };
  /** Rows reported as unusable, whether by their cells or because a unit was refused. */
  readonly unusable: number;
}

/** Counts what becomes of rows and units, and reports each row's problem once. */
export class ImportTally {
  readonly #units = { issued: 0, already_issued: 0, invalid: 0, sold_out: 0 };
  readonly #skipped = { not_paid: 0, cancelled: 0 };
  readonly #onProblem: (problem: ImportProblem) => void;
  readonly #lastLine = { invalid: 0, sold_out: 0 };
  #unusable = 0;

  constructor(onProblem: (problem: ImportProblem) => void) {
    this.#onProblem = onProblem;
  }

  /** Counts a row without units. */
  addRow(row: SkippedRow | UnusableRow): void {
    if (row.kind === "skipped") {
      this.#skipped[row.reason] += 1;
    } else {
      this.#unusable += 1;
      this.#onProblem({ line: row.line, column: row.column, message: row.message });
    }
  }

  /** Counts a unit. The units of one row come one after another. */
  addUnit({ line, item }: UnitRow, { outcome, field, message }: IssueResult): void {
    this.#units[outcome] += 1;
    if (outcome !== "invalid" && outcome !== "sold_out") return;
    if (this.#lastLine[outcome] === line) return;
    this.#lastLine[outcome] = line;
    const from = item.order.unit === 1 ? "" : ` (from unit ${item.order.unit} on)`;
    if (outcome === "sold_out") {
      const text = message || "The product's edition has no number left.";
      this.#onProblem({ line, column: "Lineitem sku", message: `${text}${from}` });
    } else {
      this.#unusable += 1;
      const text = message || "The certificate was refused.";
      this.#onProblem({ line, column: columnOfField(field), message: `${text}${from}` });
    }
  }

  /** The sum so far. */
  summary({ rows, orders }: Pick<ReadCounts, "rows" | "orders">): ImportSummary {
    const { issued, already_issued, invalid, sold_out } = this.#units;
    const units = issued + already_issued + invalid + sold_out;
    const skipped = { ...this.#skipped };
    return {
      rows,
      orders,
      units,
      issued,
      already_issued,
      invalid,
      sold_out,
      skipped,
      unusable: this.#unusable,
    };
  }
}
