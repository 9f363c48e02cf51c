import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { Command } from "commander";
import type { Report } from "#gen/registry/v1/inspection_service_pb.js";
import { printable } from "#shared/text/printable.ts";
import { chooseStore } from "../registry-client/choose-store.ts";
import { print, runs } from "./command.ts";
import { countOf } from "./option-values.ts";

const pageMax = 100;

/** `certctl report list` */
export function addReportList(parent: Command): void {
  const command = parent
    .command("list")
    .description(
      "print the problems that buyers reported, newest first: time, certificate, e-mail address, what is wrong",
    )
    .option("--limit <n>", "how many at the most", countOf, 50);
  runs<{ limit: number }>(command, async (client, { store, limit }) => {
    const storeId = await chooseStore(client, store);
    let before: Report["reportedAt"];
    for (let left = limit; left > 0; ) {
      const page = { limit: Math.min(left, pageMax), ...(before === undefined ? {} : { before }) };
      const { reports } = await client.inspection.listReports({ storeId, ...page });
      reports.forEach(printReport);
      if (reports.length < page.limit) return;
      left -= reports.length;
      before = reports.at(-1)?.reportedAt;
    }
  });
}

function printReport({ reportedAt, certificateId, reporterEmail, content }: Report): void {
  const time = reportedAt === undefined ? "" : timestampDate(reportedAt).toISOString();
  print(`${time}  ${certificateId}  ${printable(reporterEmail) || "-"}`);
  for (const line of printable(content).trimEnd().split("\n")) print(`    ${line}`);
}
