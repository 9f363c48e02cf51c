import { errorCodes } from "#shared/errors/error-codes.ts";
import { ServiceError } from "#shared/errors/service-error.ts";
import { ImportStoppedError } from "#shared/orders/import-orders.ts";
import type { ImportSummary } from "#shared/orders/import-tally.ts";
import type { OrderUnitItem } from "#shared/orders/order-unit-row.ts";
import { reason } from "#shared/reasons/reason.ts";
import { retryUntil } from "#shared/retry/retry-until.ts";
import type { Clock } from "#shared/time/clock.ts";
import { waitUntilAborted } from "#shared/time/wait-at-most.ts";
import type { IssueResult } from "../certificates/issue-certificates.ts";
import type { IssueItem } from "../certificates/issue-item.ts";
import type { LeaseKeeper } from "../leases/lease-keeper.ts";
import {
  abandonedMax,
  abandonedTotalMax,
  type FileFault,
  type ImportClaim,
  type ImportProgress,
  type ImportQueue,
  linesPerGroup,
  noProgress,
  type RejectedLine,
  type RejectedLineGroup,
  rejectedLinesMax,
  type SaveResult,
  unitsMax,
} from "./imports.ts";
import { type ReadOrders, readOrders } from "./read-orders.ts";

/**
 * Issues the next batch of an import or, during an examination, only previews the batch's results. Can be called again
 * with the same batch after a failure.
 *
 * @param batch number of the batch, from 0
 * @param signal aborts when the replica stops; a batch that is still waiting is then dropped
 */
export type IssueBatch = (items: readonly IssueItem[], batch: number, signal: AbortSignal) => Promise<IssueResult[]>;

export interface RunImportDeps {
  readonly queue: ImportQueue;
  /** Creates the {@link IssueBatch} for one run of an import. */
  readonly issuer: (claim: ImportClaim) => IssueBatch;
  /** Reads the file. Default: in the caller's thread. */
  readonly readOrders?: ReadOrders;
  /** Monotonic clock. */
  readonly clock: Clock;
  /** Aborts when the replica stops. */
  readonly signal: AbortSignal;
  /** The lease on the import. */
  readonly lease: Pick<LeaseKeeper, "renew">;
}

/** Thrown when another replica runs the import, or this replica stops. */
export class ImportLeft extends Error {}

const saveEveryMs = 500;
const pauseMs = { first: 1_000, max: 1_000 };
// Between slices of this size, the lease is renewed, the progress saved and problems reported. A slice of the shortest
// rows takes 12 ms of processor time.
const sliceBytes = 8 * 1_024;
const importFailed: FileFault = { line: 0, reason: reason("import_failed") };
const fileGone: FileFault = { line: 0, reason: reason("import_file_gone") };

const stopped: FileFault = { line: 0, reason: reason("import_stopped") };

class FileGone extends Error {}

/** Thrown when a merchant has asked the import to stop. */
class StopRequested extends Error {}

/**
 * Examines the file of a claimed import or issues its certificates, and stores progress, rejected lines and the result.
 * A run starts at the beginning of the file. Each batch has an idempotency key, so that a repeated run receives the
 * results of the previous run. A failure that a later run would repeat ends the import, with a reason for the merchant.
 *
 * @throws ImportLeft when another replica runs the import or this one stops; otherwise the error that ended the run,
 *   unless the file is at fault
 */
export async function runImport(deps: RunImportDeps, claim: ImportClaim): Promise<void> {
  const { queue, clock, signal, lease, readOrders: read = readOrders } = deps;
  if (claim.isStopping) {
    await queue.finish(claim, claim.progress, stopped);
    return;
  }
  if (claim.abandonedCount >= abandonedMax || claim.abandonedTotal >= abandonedTotalMax) {
    await queue.finish(claim, claim.progress, importFailed);
    throw new Error(`${claim.abandonedTotal} replicas did not survive this import`);
  }
  const issueBatch = deps.issuer(claim);
  let progress: ImportProgress = noProgress;
  let reportedCount = 0;
  const unsaved: RejectedLine[] = [];
  let group: RejectedLineGroup = { number: 0, lines: [] };
  let savedAt = clock.now();
  let batches = 0;

  async function mustContinue(): Promise<void> {
    if (signal.aborted || !(await lease.renew())) throw new ImportLeft();
  }

  async function save(): Promise<void> {
    if (await isAskedToStop()) throw new StopRequested();
  }

  /** Saves the progress, and returns whether the run must end. */
  async function isAskedToStop(): Promise<boolean> {
    let result: SaveResult;
    savedAt = clock.now();
    do {
      const hasNewLines = unsaved.length > 0;
      if (hasNewLines) {
        const { number, lines } = group.lines.length < linesPerGroup ? group : { number: group.number + 1, lines: [] };
        group = { number, lines: [...lines, ...unsaved.splice(0, linesPerGroup - lines.length)] };
      }
      result = await queue.save(claim, furthest(claim.progress, progress), hasNewLines ? group : undefined);
      if (result === "lost") throw new ImportLeft();
    } while (unsaved.length > 0);
    return result === "stopping";
  }

  async function* source(): AsyncGenerator<Uint8Array> {
    for await (const slice of slicesOf(queue, claim)) {
      await mustContinue();
      if (clock.now() >= savedAt + saveEveryMs) await save();
      yield slice;
    }
  }

  async function issue(units: readonly OrderUnitItem[]): Promise<IssueResult[]> {
    const batch = batches++;
    const items = units.map((unit) => ({ ...unit, expiresAt: null }));
    // A batch that is given up when the replica stops can still take effect; a later run then receives its results.
    const attempt = () => waitUntilAborted(issueBatch(items, batch, signal), signal);
    const isFinal = (error: unknown) => !isRetryable(error);
    const beforeRetry = async () => {
      await save();
      await mustContinue();
    };
    // Not the policy's signal, after which the error of the last call would be thrown: `beforeRetry` leaves the import.
    const sleep = (durationMs: number) => clock.sleep(durationMs, signal);
    await mustContinue();
    const results = await retryUntil(attempt, { isFinal, pauseMs, clock: { sleep }, beforeRetry });
    if (results === undefined) throw new ImportLeft();
    const count = (outcome: IssueResult["outcome"]) => results.filter((result) => result.outcome === outcome).length;
    progress = {
      ...progress,
      issued: progress.issued + count("issued"),
      alreadyIssued: progress.alreadyIssued + count("already_issued"),
      soldOut: progress.soldOut + count("sold_out"),
    };
    if (clock.now() >= savedAt + saveEveryMs) await save();
    return results;
  }

  const finish = async (summary: ImportSummary | undefined, fault: FileFault | null) => {
    await isAskedToStop();
    await queue.finish(claim, summary === undefined ? progress : finalProgress(summary, progress), fault);
  };
  try {
    const summary = await read({
      source: source(),
      issue,
      unitsMax,
      problemsMax: rejectedLinesMax,
      onReport: ({ rows, bytes, problemCount, problems }) => {
        progress = { ...progress, rows, bytesRead: bytes, rejectedLines: problemCount };
        for (const { column, ...problem } of problems)
          unsaved.push({ number: ++reportedCount, column: column ?? "", ...problem });
      },
    });
    await finish(summary, null);
  } catch (error) {
    if (error instanceof ImportStoppedError)
      await finish(error.summary, { line: error.line ?? 0, reason: error.reason });
    else {
      progress = furthest(claim.progress, progress);
      if (error instanceof FileGone) return await finish(undefined, fileGone);
      if (error instanceof StopRequested) return await finish(undefined, stopped);
      // Skips `finish`, which would first save the unsaved lines: they may be the cause of the failure.
      if (!(error instanceof ImportLeft || isRetryable(error))) await queue.finish(claim, progress, importFailed);
      throw error;
    }
  }
}

function isRetryable(error: unknown): boolean {
  return error instanceof ServiceError && errorCodes[error.code].retryable;
}

async function* slicesOf(queue: ImportQueue, { id, fileBytes }: ImportClaim): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for (let number = 0; number === 0 || bytes < fileBytes; number++) {
    const part = await queue.readPart(id, number);
    if (part === undefined) throw new FileGone();
    bytes += part.length;
    for (let start = 0; start < part.length; start += sliceBytes) yield part.subarray(start, start + sliceBytes);
  }
}

/**
 * Returns how far an import has got. This run began again at the start of the file, in which the same lines have the
 * same results, so each count of the earlier run is a count of the import until this run has passed it. Only rejected
 * lines are those of this run, whose groups of lines replace the earlier ones.
 */
function furthest(earlier: ImportProgress, current: ImportProgress): ImportProgress {
  const larger = (count: keyof ImportProgress) => Math.max(earlier[count], current[count]);
  return {
    bytesRead: larger("bytesRead"),
    rows: larger("rows"),
    issued: larger("issued"),
    alreadyIssued: larger("alreadyIssued"),
    soldOut: larger("soldOut"),
    notPaid: larger("notPaid"),
    refunded: larger("refunded"),
    cancelled: larger("cancelled"),
    rejectedLines: current.rejectedLines,
  };
}

function finalProgress(summary: ImportSummary, { bytesRead, rejectedLines }: ImportProgress): ImportProgress {
  const { rows, issued, alreadyIssued, soldOut, skipped } = summary;
  return { bytesRead, rejectedLines, rows, issued, alreadyIssued, soldOut, ...skipped };
}
