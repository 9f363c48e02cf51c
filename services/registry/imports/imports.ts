import type { Reason } from "#shared/reasons/reason.ts";
import type { LeasedTask, WorkClaim } from "../leases/leased-queue.ts";

/** The states of an import, in order; an examined import can be examined again. */
export type ImportState = "uploading" | "examining" | "examined" | "issuing" | "finished";

/** The counts of an import so far. Before the state `issuing`, `issued` counts certificates that would be issued. */
export interface ImportProgress {
  readonly bytesRead: number;
  readonly rows: number;
  readonly issued: number;
  readonly alreadyIssued: number;
  readonly soldOut: number;
  readonly notPaid: number;
  readonly refunded: number;
  readonly cancelled: number;
  readonly rejectedLines: number;
}

/** Why an import ended before it had processed the whole file. */
export interface FileFault {
  /** Number of the line, from 1; 0 if the fault does not concern a single line. */
  readonly line: number;
  readonly reason: Reason;
}

/** An import of certificates from a file. */
export interface Import {
  readonly id: string;
  readonly storeId: string;
  /** The person who uploaded the file; shown in the history of the certificates. */
  readonly actor: string;
  /** The file name that the browser sent, without folders or control characters. */
  readonly fileName: string;
  readonly createdAt: Date;
  readonly state: ImportState;
  readonly fileBytes: number;
  readonly progress: ImportProgress;
  /** Null if no fault has been found so far. */
  readonly fault: FileFault | null;
  /** Whether a merchant has asked a running import to stop. */
  readonly isStopping: boolean;
}

/** A line whose certificates are not all issued, because it has a fault or the product's edition is sold out. */
export interface RejectedLine {
  /** Position among the rejected lines of the import, from 1. */
  readonly number: number;
  readonly line: number;
  /** Name of the column; the empty string if the whole line is at fault. */
  readonly column: string;
  readonly reason: Reason;
  /** The first unit of the line that is affected, from 1. */
  readonly firstUnit: number;
}

/** Maximum number of rejected lines that are stored together. */
export const linesPerGroup = 500;

/** Up to {@link linesPerGroup} consecutive rejected lines, which are stored together. */
export interface RejectedLineGroup {
  /** From 0. All groups before it are full. */
  readonly number: number;
  readonly lines: readonly RejectedLine[];
}

/** An import that a replica has claimed in order to run it. */
export interface ImportClaim extends Import, WorkClaim {
  /** How many replicas died or froze while they ran the import, one after the other, since it last advanced. */
  readonly abandonedCount: number;
  /** The same since the import was started. */
  readonly abandonedTotal: number;
}

/** An import that this many replicas in a row did not survive, and that did not advance, fails: its file may be why. */
export const abandonedMax = 6;
/** An import that this many replicas did not survive fails, although it advances a little each time. */
export const abandonedTotalMax = 30;

/** Maximum size of a part of a file, in bytes. */
export const partBytesMax = 262_144;
/** Maximum number of parts of a file. */
export const partsMax = 64;
/**
 * Maximum number of units in a file. The maximum file size hardly limits how long an import occupies a replica, because
 * one row can have 10,000 units.
 */
export const unitsMax = 200_000;
/** Maximum number of rejected lines that are stored per import. */
export const rejectedLinesMax = 10_000;

/** The progress of an import that has not begun. */
export const noProgress: ImportProgress = {
  bytesRead: 0,
  rows: 0,
  issued: 0,
  alreadyIssued: 0,
  soldOut: 0,
  notPaid: 0,
  refunded: 0,
  cancelled: 0,
  rejectedLines: 0,
};

/** Returns whether an import has got further than in its earlier runs. */
export function isFurther(progress: ImportProgress, earlier: ImportProgress): boolean {
  const units = ({ issued, alreadyIssued, soldOut }: ImportProgress) => issued + alreadyIssued + soldOut;
  return progress.bytesRead > earlier.bytesRead || units(progress) > units(earlier);
}

/**
 * Storage of imports. Files are kept for a day, imports and their rejected lines for 30 days. Methods throw
 * ServiceError `not_found` for an import that the store does not have, and `unavailable` when the database is
 * unavailable.
 */
export interface Imports {
  /** @throws ServiceError `rate_limited` for a store that created too many imports in the last 24 hours */
  create(one: Pick<Import, "id" | "storeId" | "actor" | "fileName">): Promise<void>;
  /**
   * Stores a part of the file, replacing any part with the same number.
   *
   * @throws ServiceError `failed_precondition` once the import has been started
   */
  addPart(storeId: string, importId: string, number: number, content: Uint8Array): Promise<void>;
  /**
   * Queues an import for a replica to run, and deletes the progress, the fault and the rejected lines of its last run.
   *
   * @param state `examining` or `issuing`
   * @throws ServiceError `failed_precondition` unless the import is `examined` or, for an examination, `uploading`
   */
  start(storeId: string, importId: string, state: ImportState, actor: string): Promise<void>;
  /** Asks an import to stop, if it is waiting or running; its run then ends within seconds. */
  stop(storeId: string, importId: string, actor: string): Promise<void>;
  find(storeId: string, importId: string): Promise<Import & { readonly hasFile: boolean }>;
  /** Returns at most `countMax` imports of the store, newest first. */
  list(storeId: string, countMax: number): Promise<Import[]>;
  /** Returns a page of rejected lines. @param after `number` of the previous page's last line; 0 for the first page */
  listRejectedLines(storeId: string, importId: string, after: number, countMax: number): Promise<RejectedLine[]>;
}

/** The result of {@link ImportQueue.save}. */
export type SaveResult = "saved" | "stopping" | "lost";

/** How long the lease on an import lasts unless it is renewed, in milliseconds. */
export const importLeaseMs = 30_000;

/**
 * The imports that are waiting for a replica or running. A claim passes over stores that have a claimed import, so that
 * one store cannot use up the replicas' capacity. Methods throw `unavailable` like {@link Imports}.
 */
export interface ImportQueue extends LeasedTask<ImportClaim> {
  /** Returns a part of the file; undefined if it is not stored. */
  readPart(importId: string, number: number): Promise<Uint8Array | undefined>;
  /**
   * Stores progress and, unless it is undefined, a group of rejected lines in place of the one with its number. If the
   * import has got further than in earlier runs, these no longer count as abandoned.
   *
   * @returns `lost` if the import has been claimed again, and nothing is stored; `stopping` if the run must end
   */
  save(claim: ImportClaim, progress: ImportProgress, group: RejectedLineGroup | undefined): Promise<SaveResult>;
  /** Stores the result, and ends the lease. @returns false if the import has been claimed again */
  finish(claim: ImportClaim, progress: ImportProgress, fault: FileFault | null): Promise<boolean>;
}
