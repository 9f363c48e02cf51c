import type { Report } from "#gen/registry/v1/inspection_service_pb.js";
import { ReportKind } from "#gen/registry/v1/verification_service_pb.js";
import { printable } from "#shared/text/printable.ts";
import { defineCommand } from "../../command/command.ts";
import { enumName } from "../../command/enum-names.ts";
import { parseCount } from "../../command/option-values.ts";
import { timeWidthMin } from "../../output/fit-table.ts";
import type { ListFormat } from "../../output/output.ts";
import { readPages } from "../../registry-client/read-pages.ts";
import { timeOrNull, timestampText } from "../../timestamp.ts";

export const reportList = defineCommand<{ readonly limit: number; readonly open?: boolean }>({
  name: "report list",
  changes: "nothing",
  description:
    "list the problem reports from buyers, newest first: id, time, state, certificate, kind, e-mail address; " +
    "indented below: text",
  configure: (command) =>
    command.option("--limit <n>", "maximum number of reports", parseCount, 50).option("--open", "only open reports"),
  async run({ selectStore, output, options: { limit, open = false } }) {
    const { inspection } = await selectStore();
    const read = async (count: number, before: Report["reportedAt"]) => {
      const { reports } = await inspection.listReports({ limit: count, openOnly: open, ...(before && { before }) });
      return { items: reports, next: reports.length < count ? undefined : reports.at(-1)?.reportedAt };
    };
    const hasMore = await readPages(limit, read, output.list(reportFormat), output.note);
    if (hasMore) output.note("Older reports may exist. Raise --limit.");
  },
});

const kindName = ({ kind }: Report) => enumName(ReportKind, kind).replaceAll("_", "-");

const reportFormat: ListFormat<Report> = {
  columns: [
    { title: "ID", value: ({ id }) => id, isWhole: true },
    { title: "TIME", value: ({ reportedAt }) => timestampText(reportedAt), widthMin: timeWidthMin },
    { title: "STATE", value: ({ closedAt }) => (closedAt === undefined ? "open" : "closed"), isWhole: true },
    { title: "CERTIFICATE", value: ({ certificateId }) => certificateId },
    { title: "KIND", value: kindName },
    { title: "REPORTER", value: ({ reporterEmail }) => printable(reporterEmail) || "-" },
  ],
  details: ({ content }) => printable(content).trimEnd().split("\n"),
  toJson: (report) => {
    const { id, reportedAt, closedAt, certificateId, reporterEmail, content } = report;
    const times = { reportedAt: timeOrNull(reportedAt), closedAt: timeOrNull(closedAt) };
    return { id, ...times, certificateId, kind: kindName(report), reporterEmail: reporterEmail || null, content };
  },
};
