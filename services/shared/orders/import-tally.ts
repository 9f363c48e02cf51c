import { type Reason, reason } from "../reasons/reason.ts";
import { reasonText } from "../reasons/reason-text.ts";
import type { Language } from "../texts/languages.ts";
import { columnOfField } from "./export-columns.ts";
import type { SkippedRow, UnitRow, UnusableRow, WithdrawnRow } from "./order-unit-row.ts";
import type { ReadCounts } from "./read-order-units.ts";

/** The registry's result for one unit. */
export interface IssueResult {
  readonly outcome: "issued" | "already_issued" | "invalid" | "sold_out";
  /** The field at fault, such as `buyer.email`. */
  readonly field?: string;
  readonly reason?: Reason;
}

/** How many active certificates of a refunded or cancelled order were found, and how many of them were revoked. */
export interface WithdrawalResult {
  readonly found: number;
  readonly revoked: number;
}

/** A problem that keeps a row from being imported completely, with the row's line number. */
export interface ImportProblem extends Omit<UnusableRow, "kind"> {
  /** The first unit of the row that is affected, from 1. */
  readonly firstUnit: number;
}

/** Renders why a row was not imported completely. */
export function importProblemText(
  { reason: why, firstUnit }: Pick<ImportProblem, "reason" | "firstUnit">,
  language: Language,
): string {
  const text = reasonText(why, language);
  return firstUnit <= 1 ? text : `${text} ${reasonText(reason("first_affected_unit", { unit: firstUnit }), language)}`;
}

/** The result of an import. units = issued + alreadyIssued + invalid + soldOut. */
export interface ImportSummary {
  readonly rows: number;
  readonly orders: number;
  readonly units: number;
  readonly issued: number;
  readonly alreadyIssued: number;
  /** Units that the registry refused; `unusable` includes their rows. */
  readonly invalid: number;
  readonly soldOut: number;
  /** Rows of unpaid, refunded and cancelled orders, which get no certificates. */
  readonly skipped: { readonly notPaid: number; readonly refunded: number; readonly cancelled: number };
  /** Active certificates of refunded and cancelled orders, and how many of them the import revoked. */
  readonly withdrawn: WithdrawalResult;
  /** Rows reported as unusable, by the reader or because the registry refused a unit. */
  readonly unusable: number;
}

/** Counts the results of rows and units, and reports each kind of problem once per row. */
export class ImportTally {
  readonly #units = { issued: 0, already_issued: 0, invalid: 0, sold_out: 0 };
  readonly #skipped = { notPaid: 0, refunded: 0, cancelled: 0 };
  readonly #withdrawn = { found: 0, revoked: 0 };
  readonly #onProblem: (problem: ImportProblem) => void;
  readonly #lastReportedLine = { invalid: 0, sold_out: 0 };
  #unusable = 0;

  constructor(onProblem: (problem: ImportProblem) => void) {
    this.#onProblem = onProblem;
  }

  addRow(row: SkippedRow | WithdrawnRow | UnusableRow): void {
    if (row.kind === "unusable") {
      this.#unusable += 1;
      this.#onProblem({ line: row.line, column: row.column, reason: row.reason, firstUnit: 1 });
    } else {
      this.#skipped[row.reason] += 1;
    }
  }

  addWithdrawal({ found, revoked }: WithdrawalResult): void {
    this.#withdrawn.found += found;
    this.#withdrawn.revoked += revoked;
  }

  /** Counts a unit. Add the units of a row consecutively, so that each kind of problem is reported once per row. */
  addUnit({ line, item }: UnitRow, { outcome, field, reason: why }: IssueResult): void {
    this.#units[outcome] += 1;
    if (outcome !== "invalid" && outcome !== "sold_out") return;
    if (this.#lastReportedLine[outcome] === line) return;
    this.#lastReportedLine[outcome] = line;
    if (outcome === "invalid") this.#unusable += 1;
    const column = outcome === "sold_out" ? "Lineitem sku" : columnOfField(field);
    this.#onProblem({ line, column, reason: why ?? reason("issue_refused"), firstUnit: item.order.unit });
  }

  summary({ rows, orders }: Pick<ReadCounts, "rows" | "orders">): ImportSummary {
    const { issued, already_issued: alreadyIssued, invalid, sold_out: soldOut } = this.#units;
    return {
      rows,
      orders,
      units: issued + alreadyIssued + invalid + soldOut,
      issued,
      alreadyIssued,
      invalid,
      soldOut,
      skipped: { ...this.#skipped },
      withdrawn: { ...this.#withdrawn },
      unusable: this.#unusable,
    };
  }
}
