import type { ServiceImpl } from "@connectrpc/connect";
import type { ReportService } from "#gen/registry/v1/report_service_pb.js";
import type { Reports } from "../certificates/problem-report.ts";
import { storeAndActorOf } from "./call-scope.ts";

/** Implements ReportService: translates between its messages and the domain. */
export function reportService(reports: Pick<Reports, "close">): ServiceImpl<typeof ReportService> {
  return {
    async closeReport({ reportId }, context) {
      const { storeId, actor } = storeAndActorOf(context);
      return { wasClosed: await reports.close(storeId, reportId, actor) };
    },
  };
}
