import type { Report } from "#gen/registry/v1/inspection_service_pb.js";
import { printable } from "#shared/text/printable.ts";
import { timestampText } from "../timestamp.ts";
import { defineCommand } from "./command.ts";
import { parseCount } from "./option-values.ts";
import { print } from "./print.ts";

const pageMax = 100;

/** `certctl report list` */
export const reportList = defineCommand<{ readonly limit: number }>({
  name: "report list",
  changes: "nothing",
  description:
    "list the problem reports from buyers, newest first: time, certificate, e-mail address; indented below: text",
  configure: (command) => command.option("--limit <n>", "maximum number of reports", parseCount, 50),
  async run({ client, storeId, options: { limit } }) {
    const id = await storeId();
    let before: Report["reportedAt"];
    for (let left = limit; left > 0; ) {
      const page = { limit: Math.min(left, pageMax), ...(before === undefined ? {} : { before }) };
      const { reports } = await client.inspection.listReports({ storeId: id, ...page });
      reports.forEach(printReport);
      if (reports.length < page.limit) return;
      left -= reports.length;
      before = reports.at(-1)?.reportedAt;
    }
  },
});

function printReport({ reportedAt, certificateId, reporterEmail, content }: Report): void {
  print(`${timestampText(reportedAt)}  ${certificateId}  ${printable(reporterEmail) || "-"}`);
  for (const line of printable(content).trimEnd().split("\n")) print(`    ${line}`);
}
