import { reason } from "../reasons/reason.ts";
import { ExportError } from "./export-error.ts";
import {
  type ImportProblem,
  type ImportSummary,
  ImportTally,
  type IssueResult,
  type WithdrawalResult,
} from "./import-tally.ts";
import type { OrderUnitItem, UnitRow, WithdrawnOrder, WithdrawnRow } from "./order-unit-row.ts";
import { type ReadCounts, readOrderUnits } from "./read-order-units.ts";

/** Options of {@link importOrders}. */
export interface ImportOrdersOptions {
  readonly source: AsyncIterable<Uint8Array>;
  /** Issues certificates; result i belongs to item i. Must be idempotent for each item. */
  readonly issue: (items: readonly OrderUnitItem[]) => Promise<readonly IssueResult[]>;
  /**
   * Finds the active certificates of a refunded or cancelled order, and may revoke them. Called once per order.
   * Default: finds none.
   */
  readonly withdraw?: (order: WithdrawnOrder) => Promise<WithdrawalResult>;
  /** Maximum number of units per call of `issue`, at least 1; default 100. */
  readonly batchSize?: number;
  /** Maximum number of units, and of orders; a file with more stops the import with an error. Default: unlimited. */
  readonly unitsMax?: number;
  readonly onProgress?: (progress: Pick<ReadCounts, "rows" | "bytes">) => void;
  /** Called for each row that is unusable or has units that get no certificate, once per kind of problem. */
  readonly onProblem?: (problem: ImportProblem) => void;
}

/** An {@link ExportError} during an import, with the summary of the rows that were processed. */
export class ImportStoppedError extends ExportError {
  readonly summary: ImportSummary;

  constructor(cause: ExportError, summary: ImportSummary) {
    super(cause.reason, { line: cause.line, column: cause.column, cause });
    this.name = "ImportStoppedError";
    this.summary = summary;
  }
}

/**
 * Issues the certificates of an order export, one batch at a time; reads no further while a batch is being issued.
 * Importing a file again is safe: each certificate is issued only once.
 *
 * @throws ImportStoppedError if the file has too many units or cannot be read to its end, after issuing the
 * certificates of the units before the fault, except those of rows that still wait for the first row of their order
 * @throws any error of `issue` or `withdraw`
 */
export async function importOrders(options: ImportOrdersOptions): Promise<ImportSummary> {
  const {
    source,
    issue,
    withdraw,
    batchSize = 100,
    unitsMax = Number.POSITIVE_INFINITY,
    onProgress,
    onProblem,
  } = options;
  const tally = new ImportTally(onProblem ?? (() => undefined));
  let counts: ReadCounts = { bytes: 0, rows: 0, orders: 0 };
  const batch: UnitRow[] = [];
  const withdrawnIds = new Set<string>();
  let units = 0;

  async function send(): Promise<void> {
    const sent = batch.splice(0);
    if (sent.length === 0) return;
    const results = await issue(sent.map(({ item }) => item));
    if (results.length !== sent.length)
      throw new Error(`The registry returned ${results.length} results for ${sent.length} items.`);
    for (const [at, row] of sent.entries()) tally.addUnit(row, results[at] ?? { outcome: "invalid" });
  }

  async function withdrawOnce({ line, reason, order }: WithdrawnRow): Promise<void> {
    if (withdraw === undefined || withdrawnIds.has(order.id)) return;
    withdrawnIds.add(order.id);
    tally.addWithdrawal(await withdraw({ ...order, reason, line }));
  }

  function onRead(read: ReadCounts): void {
    counts = read;
    onProgress?.({ rows: read.rows, bytes: read.bytes });
  }

  try {
    for await (const row of readOrderUnits(source, onRead)) {
      // The reader keeps every order in memory.
      if (counts.orders > unitsMax) throw tooManyUnits(row, unitsMax);
      if (row.kind === "unit") {
        if (++units > unitsMax) throw tooManyUnits(row, unitsMax);
        batch.push(row);
      } else tally.addRow(row);
      if (row.kind === "withdrawn") await withdrawOnce(row);
      if (batch.length >= batchSize) await send();
    }
  } catch (error) {
    if (!(error instanceof ExportError)) throw error;
    await send();
    throw new ImportStoppedError(error, tally.summary(counts));
  }
  await send();
  return tally.summary(counts);
}

function tooManyUnits({ line }: Pick<UnitRow, "line">, unitsMax: number): ExportError {
  return new ExportError(reason("too_many_items", { max: unitsMax }), { line });
}
