import type { FindCursor } from "mongodb";
import type { Clock } from "#shared/time/clock.ts";
import type { ProblemReport, ReportQuery, Reports } from "../../certificates/problem-report.ts";
import { notFound } from "../../values/not-found.ts";
import type { Collections } from "../documents/collections.ts";
import { compoundKey } from "../documents/compound-key.ts";
import type { ReportDocument } from "../documents/documents.ts";
import { lastDay } from "../driver/database-clock.ts";
import { databaseCall } from "../driver/database-error.ts";
import { limited } from "../driver/time-limits.ts";
import type { MongoStoreHistory } from "../stores/mongo-store-history.ts";

/** Implements Reports on the `reports` collection, to which the ledger adds the reports. */
export class MongoReports implements Reports {
  readonly #reports: Collections["reports"];
  readonly #requests: Collections["requests"];
  readonly #history: MongoStoreHistory;
  readonly #clock: Clock;

  /** @param clock the database's clock */
  constructor(
    { reports, requests }: Pick<Collections, "reports" | "requests">,
    history: MongoStoreHistory,
    clock: Clock,
  ) {
    this.#reports = reports;
    this.#requests = requests;
    this.#history = history;
    this.#clock = clock;
  }

  list(query: ReportQuery): Promise<ProblemReport[]> {
    return databaseCall(() => reportsCursor(this.#reports, query).map(reportOf).toArray());
  }

  countOfDay(...[about, limit]: Parameters<Reports["countOfDay"]>): Promise<number> {
    const filter = { ...about, storedAt: lastDay(this.#clock) };
    return databaseCall(() => this.#reports.countDocuments(filter, { ...limited, limit }));
  }

  isAnswered(storeId: string, idempotencyKey: string): Promise<boolean> {
    const filter = { _id: compoundKey(storeId, idempotencyKey) };
    return databaseCall(async () => (await this.#requests.findOne(filter, limited)) !== null);
  }

  close(storeId: string, reportId: string, actor: string): Promise<boolean> {
    const change = { action: "report.closed", actor, details: { reportId } } as const;
    return this.#history.record(storeId, change, async (session) => {
      const filter = { _id: reportId, store: storeId };
      const closed = { at: new Date(this.#clock.now()), by: actor };
      const { matchedCount } = await this.#reports.updateOne(
        { ...filter, closed: { $exists: false } },
        { $set: { closed } },
        { session },
      );
      if (matchedCount === 0 && (await this.#reports.findOne(filter, { session })) === null) throw notFound("report");
      return { hasChanged: matchedCount > 0, value: matchedCount === 0 };
    });
  }
}

/** A cursor over the documents of a query's reports. */
export function reportsCursor(
  reports: Collections["reports"],
  { storeId, before, openOnly, countMax }: ReportQuery,
): FindCursor<ReportDocument> {
  const older = before === undefined ? {} : { at: { $lt: before } };
  const open = openOnly ? { "closed.at": { $exists: false } } : {};
  return reports
    .find({ store: storeId, ...older, ...open }, limited)
    .sort({ at: -1 })
    .limit(countMax);
}

function reportOf({ _id, certificate, at, kind, content, reporterEmail, closed }: ReportDocument): ProblemReport {
  return {
    id: _id,
    certificateId: certificate,
    reportedAt: at,
    kind,
    content,
    reporterEmail,
    closed: closed ?? null,
  };
}
