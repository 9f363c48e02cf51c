import { ServiceError } from "#shared/errors/service-error.ts";
import type { Logger } from "#shared/observe/logger.ts";
import { reason } from "#shared/reasons/reason.ts";
import type { Reports } from "./problem-report.ts";
import type { ReportRequest } from "./report-problem.ts";

export interface ReportLimitDeps {
  readonly reports: Pick<Reports, "countOfDay" | "isAnswered">;
  readonly logger: Pick<Logger, "info">;
}

/** Once a certificate has this many reports from the last 24 hours, its verification page accepts no more. */
export const reportsPerDayMax = 10;

/** Once a store has this many reports from the last 24 hours, the pages of all its certificates accept no more. */
export const storeReportsPerDayMax = 1_000;

/**
 * Refuses a report from a verification page once the certificate has {@link reportsPerDayMax} reports from the last
 * 24 hours, or its store {@link storeReportsPerDayMax}: open reports are kept until somebody closes them. Reports
 * that arrive at the same time may together exceed the limit. A retry of a stored report is not refused: its client
 * may not have received the first response.
 *
 * @throws ServiceError `rate_limited`
 */
export async function checkReportLimit(
  { reports, logger }: ReportLimitDeps,
  { storeId, certificateId, idempotencyKey }: Pick<ReportRequest, "storeId" | "certificateId" | "idempotencyKey">,
): Promise<void> {
  const [count, ofStore] = await Promise.all([
    reports.countOfDay({ certificate: certificateId }, reportsPerDayMax),
    reports.countOfDay({ store: storeId }, storeReportsPerDayMax),
  ]);
  if (count < reportsPerDayMax && ofStore < storeReportsPerDayMax) return;
  if (idempotencyKey !== "" && (await reports.isAnswered(storeId, idempotencyKey))) return;
  // Nothing else names them to an operator: the edge knows neither the certificate nor its store.
  logger.info({ storeId, certificateId }, "refused a problem report: its certificate or its store has too many");
  throw new ServiceError("rate_limited", reason("too_many_reports"));
}
