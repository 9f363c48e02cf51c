import { ExportError } from "./export-error.ts";
import { type ImportProblem, type ImportSummary, ImportTally, type IssueResult } from "./import-tally.ts";
import type { OrderUnitItem, UnitRow } from "./order-unit-row.ts";
import { type ReadCounts, readOrderUnits } from "./read-order-units.ts";

/** Options of {@link importOrders}. */
export interface ImportOrdersOptions {
  readonly source: AsyncIterable<Uint8Array>;
  /** Issues certificates; result i belongs to item i. Must be idempotent for each item. */
  readonly issue: (items: readonly OrderUnitItem[]) => Promise<readonly IssueResult[]>;
  /** Units per call of `issue`, at least 1; default 100. */
  readonly batchSize?: number;
  readonly onProgress?: (progress: Pick<ReadCounts, "rows" | "bytes">) => void;
  /** Called for each row for which not all certificates were issued, once per kind of problem. */
  readonly onProblem?: (problem: ImportProblem) => void;
}

/** An {@link ExportError} during an import. The import has processed the rows before the fault. */
export class ImportStoppedError extends ExportError {
  readonly summary: ImportSummary;

  constructor(cause: ExportError, summary: ImportSummary) {
    super(cause.message, { line: cause.line, column: cause.column, cause });
    this.name = "ImportStoppedError";
    this.summary = summary;
  }
}

/**
 * Issues the certificates of an order export, one batch at a time; reads no further while a batch is being issued.
 * Importing a file again is safe: each certificate is issued only once.
 *
 * @throws ImportStoppedError if the file cannot be read to its end, after issuing the certificates of the rows before
 * the fault, except rows that still wait for the first row of their order
 * @throws any error of `issue`
 */
export async function importOrders(options: ImportOrdersOptions): Promise<ImportSummary> {
  const { source, issue, batchSize = 100, onProgress, onProblem } = options;
  const tally = new ImportTally(onProblem ?? (() => undefined));
  let counts: ReadCounts = { bytes: 0, rows: 0, orders: 0 };
  const batch: UnitRow[] = [];

  async function send(): Promise<void> {
    const sent = batch.splice(0);
    if (sent.length === 0) return;
    const results = await issue(sent.map(({ item }) => item));
    if (results.length !== sent.length)
      throw new Error(`The registry returned ${results.length} results for ${sent.length} items.`);
    for (const [at, row] of sent.entries()) tally.addUnit(row, results[at] ?? { outcome: "invalid" });
  }

  function onRead(read: ReadCounts): void {
    counts = read;
    onProgress?.({ rows: read.rows, bytes: read.bytes });
  }

  try {
    for await (const row of readOrderUnits(source, onRead)) {
      if (row.kind === "unit") batch.push(row);
      else tally.addRow(row);
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
