import { ReportService } from "#gen/registry/v1/report_service_pb.js";
import type { Reports } from "../certificates/problem-report.ts";
import { storeAndActorOf } from "./call-scope.ts";
import { type OfferedService, offer } from "./offered-service.ts";

/** Implements ReportService: translates between its messages and the domain. */
export function reportService(reports: Pick<Reports, "close">): OfferedService {
  return offer(ReportService, {
    async closeReport({ reportId }, context) {
      const { storeId, actor } = storeAndActorOf(context);
      return { wasClosed: await reports.close(storeId, reportId, actor) };
    },
  });
}
