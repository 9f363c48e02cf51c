import type { Report } from "#gen/registry/v1/inspection_service_pb.js";
import { printable } from "#shared/text/printable.ts";
import { timeWidthMin } from "../output/fit-table.ts";
import type { ListFormat } from "../output/output.ts";
import { timeOrNull, timestampText } from "../timestamp.ts";
import { defineCommand } from "./command.ts";
import { parseCount } from "./option-values.ts";

const pageMax = 100;

/** `certctl report list` */
export const reportList = defineCommand<{ readonly limit: number }>({
  name: "report list",
  changes: "nothing",
  description:
    "list the problem reports from buyers, newest first: time, certificate, e-mail address; indented below: text",
  configure: (command) => command.option("--limit <n>", "maximum number of reports", parseCount, 50),
  async run({ client, storeId, output, options: { limit } }) {
    const id = await storeId();
    const show = output.list(reportFormat);
    let before: Report["reportedAt"];
    for (let left = limit; left > 0; ) {
      const page = { limit: Math.min(left, pageMax), ...(before === undefined ? {} : { before }) };
      const { reports } = await client.inspection.listReports({ storeId: id, ...page });
      reports.forEach(show);
      if (reports.length < page.limit) return;
      left -= reports.length;
      before = reports.at(-1)?.reportedAt;
    }
  },
});

const reportFormat: ListFormat<Report> = {
  columns: [
    { title: "TIME", value: ({ reportedAt }) => timestampText(reportedAt), widthMin: timeWidthMin },
    { title: "CERTIFICATE", value: ({ certificateId }) => certificateId, isWhole: true },
    { title: "REPORTER", value: ({ reporterEmail }) => printable(reporterEmail) || "-" },
  ],
  details: ({ content }) => printable(content).trimEnd().split("\n"),
  toJson: ({ reportedAt, certificateId, reporterEmail, content }) => ({
    ...{ reportedAt: timeOrNull(reportedAt), certificateId, reporterEmail: reporterEmail || null, content },
  }),
};
