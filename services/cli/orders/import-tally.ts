import { columnOfField } from "./column-of-field.ts";
import type { ExportColumn } from "./export-columns.ts";
import type { SkippedRow, UnitRow, UnusableRow } from "./order-unit-row.ts";
import type { ReadCounts } from "./read-order-units.ts";

/** The registry's result for one unit. */
export interface IssueResult {
  readonly outcome: "issued" | "alreadyIssued" | "invalid" | "soldOut";
  /** The field that breaks a rule, such as `buyer.email`. */
  readonly field?: string;
  /** A sentence for people. */
  readonly message?: string;
}

/** A row that does not get all its certificates. */
export interface ImportProblem {
  /** Physical line where the row begins, 1-based, including the header. */
  readonly line: number;
  /** The column with the fault; null for a fault of the whole row. */
  readonly column: ExportColumn | null;
  /** A sentence for people. */
  readonly message: string;
}

/** The result of an import. units = issued + alreadyIssued + invalid + soldOut. */
export interface ImportSummary {
  /** Rows read, without the header. */
  readonly rows: number;
  readonly orders: number;
  /** Units sent to the registry. */
  readonly units: number;
  readonly issued: number;
  readonly alreadyIssued: number;
  /** Units that the registry refused; `unusable` includes their rows. */
  readonly invalid: number;
  readonly soldOut: number;
  /** Rows that need no certificate. */
  readonly skipped: { readonly notPaid: number; readonly cancelled: number };
  /** Rows reported as unusable, by the reader or because the registry refused a unit. */
  readonly unusable: number;
}

/** Counts the results of rows and units, and reports each row's problem once. */
export class ImportTally {
  readonly #units = { issued: 0, alreadyIssued: 0, invalid: 0, soldOut: 0 };
  readonly #skipped = { notPaid: 0, cancelled: 0 };
  readonly #onProblem: (problem: ImportProblem) => void;
  readonly #lastReportedLine = { invalid: 0, soldOut: 0 };
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

  /** Counts a unit. The units of a row must be added consecutively. */
  addUnit({ line, item }: UnitRow, { outcome, field, message }: IssueResult): void {
    this.#units[outcome] += 1;
    if (outcome !== "invalid" && outcome !== "soldOut") return;
    if (this.#lastReportedLine[outcome] === line) return;
    this.#lastReportedLine[outcome] = line;
    const from = item.order.unit === 1 ? "" : ` (from unit ${item.order.unit} on)`;
    if (outcome === "soldOut") {
      const text = message || "The product's edition is sold out.";
      this.#onProblem({ line, column: "Lineitem sku", message: `${text}${from}` });
    } else {
      this.#unusable += 1;
      const text = message || "The registry refused the certificate.";
      this.#onProblem({ line, column: columnOfField(field), message: `${text}${from}` });
    }
  }

  /** Returns the sums so far. */
  summary({ rows, orders }: Pick<ReadCounts, "rows" | "orders">): ImportSummary {
    const { issued, alreadyIssued, invalid, soldOut } = this.#units;
    return {
      rows,
      orders,
      units: issued + alreadyIssued + invalid + soldOut,
      ...this.#units,
      skipped: { ...this.#skipped },
      unusable: this.#unusable,
    };
  }
}
