/** The kind of a problem that a buyer can report. */
export type ReportKind = "counterfeit" | "mismatch" | "stolen" | "wrong_details" | "other";

/** A problem that a buyer reported. */
export interface ProblemReport {
  readonly id: string;
  readonly certificateId: string;
  readonly reportedAt: Date;
  readonly kind: ReportKind;
  readonly content: string;
  /** The empty string if the reporter left no address. */
  readonly reporterEmail: string;
  /** When and by whom the report was closed; null while it is open. */
  readonly closed: { readonly at: Date; readonly by: string } | null;
}

/** A query for the reports of a store. */
export interface ReportQuery {
  readonly storeId: string;
  /** Only reports made before this time; undefined starts with the newest report. */
  readonly before: Date | undefined;
  readonly openOnly: boolean;
  readonly countMax: number;
}

/** Reads and closes problem reports. Methods throw ServiceError `unavailable` when the database is unavailable. */
export interface Reports {
  /** Returns reports, newest first. */
  list(query: ReportQuery): Promise<ProblemReport[]>;
  /** Returns the number of reports of the last 24 hours about a certificate or of a store, counted up to `countMax`. */
  countOfDay(about: { readonly certificate: string } | { readonly store: string }, countMax: number): Promise<number>;
  /** Returns whether the response to a request with this idempotency key is stored. */
  isAnswered(storeId: string, idempotencyKey: string): Promise<boolean>;
  /**
   * Closes a report and writes an entry to the store's history.
   *
   * @returns whether the report was already closed; if so, nothing is written
   * @throws ServiceError `not_found`, also for another store's report
   */
  close(storeId: string, reportId: string, actor: string): Promise<boolean>;
}
