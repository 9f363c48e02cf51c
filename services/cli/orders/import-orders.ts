import { ExportError } from "./export-error.ts";
import { type ImportProblem, type ImportSummary, ImportTally, type IssueResult } from "./import-tally.ts";
import type { OrderUnitItem, UnitRow } from "./order-unit-row.ts";
import { type ReadCounts, readOrderUnits } from "./read-order-units.ts";

const BATCH_SIZE = 100;

/** What {@link importOrders} works with. */
export interface ImportOrdersOptions {
  /** The export's bytes. */
  readonly source: AsyncIterable<Uint8Array>;
  /** Issues the certificates; result i belongs to item i. Issuing an item again must change nothing. */
  readonly issue: (items: readonly OrderUnitItem[]) => Promise<readonly IssueResult[]>;
  /** Units sent at once, at least 1; default 100. */
  readonly batchSize?: number;
  /** Told how far the file has been read; default: nobody is told. */
  readonly onProgress?: (progress: Pick<ReadCounts, "rows" | "bytes">) => void;
  /** Told each row for which not all certificates were issued; default: nobody is told. */
  readonly onProblem?: (problem: ImportProblem) => void;
}

/** The export cannot be read (any further); `summary` tells what was done until then. */
export class ImportStoppedError extends ExportError {
  /** What was done: all rows before the fault. */
  readonly summary: ImportSummary;

  constructor(cause: ExportError, summary: ImportSummary) {
    super(cause.message, cause);
    this.name = "ImportStoppedError";
    this.cause = cause;
    this.summary = summary;
  }
}

/**
 * Issues the certificates of an order export, batch after batch; the file is not read on while a batch is out. The
 * same file may be imported again: what is issued stays.
 *
 * Fails with {@link ImportStoppedError} where the file cannot be read (any further), after the rows before the fault
 * were issued, and with what `issue` fails with.
 */
export async function importOrders(options: ImportOrdersOptions): Promise<ImportSummary> {
  const { source, issue, batchSize = BATCH_SIZE, onProgress, onProblem } = options;
  const tally = new ImportTally(onProblem ?? (() => undefined));
  let counts: ReadCounts = { bytes: 0, rows: 0, orders: 0 };
  let batch: UnitRow[] = [];

  async function send(): Promise<void> {
    const sent = batch;
    batch = [];
    if (sent.length === 0) return;
    const results = await issue(sent.map(({ item }) => item));
    if (results.length !== sent.length) {
      throw new Error(`${results.length} results came for ${sent.length} items.`);
    }
    for (const [at, row] of sent.entries()) tally.addUnit(row, results[at] ?? { outcome: "invalid" });
  }

  function onRead(read: ReadCounts): void {
    counts = read;
    onProgress?.({ rows: read.rows, bytes: read.bytes });
  }

  try {
    for await (const row of readOrderUnits(source, { onRead })) {
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
