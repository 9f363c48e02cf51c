import type { Report } from "#gen/registry/v1/inspection_service_pb.js";
import { ReportKind } from "#gen/registry/v1/verification_service_pb.js";
import { printable } from "#shared/text/printable.ts";
import { timestampText } from "../timestamp.ts";
import { defineCommand } from "./command.ts";
import { enumName } from "./enum-names.ts";
import { parseCount } from "./option-values.ts";
import { print } from "./print.ts";

const pageMax = 100;

/** `certctl report list` */
export const reportList = defineCommand<{ readonly limit: number; readonly open?: boolean }>({
  name: "report list",
  changes: "nothing",
  description:
    "list the problem reports from buyers, newest first: id, time, open or closed, certificate, kind, e-mail address; indented below: text",
  configure: (command) =>
    command
      .option("--limit <n>", "maximum number of reports", parseCount, 50)
      .option("--open", "only reports that are not closed"),
  async run({ client, storeId, options: { limit, open = false } }) {
    const id = await storeId();
    let before: Report["reportedAt"];
    for (let left = limit; left > 0; ) {
      const page = { limit: Math.min(left, pageMax), openOnly: open, ...(before === undefined ? {} : { before }) };
      const { reports } = await client.inspection.listReports({ storeId: id, ...page });
      reports.forEach(printReport);
      if (reports.length < page.limit) return;
      left -= reports.length;
      before = reports.at(-1)?.reportedAt;
    }
  },
});

function printReport({ id, reportedAt, closedAt, certificateId, kind, reporterEmail, content }: Report): void {
  const state = closedAt === undefined ? "open" : "closed";
  const about = enumName(ReportKind, kind).replaceAll("_", "-");
  const sender = printable(reporterEmail) || "-";
  print([id, timestampText(reportedAt), state, certificateId, about, sender].join("  "));
  for (const line of printable(content).trimEnd().split("\n")) print(`    ${line}`);
}
