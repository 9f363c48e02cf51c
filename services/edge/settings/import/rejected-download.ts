import { csvRecord } from "#shared/text/csv-record.ts";
import type { SettingsPage, Visit } from "../model/settings-page.ts";
import { rejectionText } from "./rejection-text.ts";

const pageSize = 1_000;

/** Sends the rejected lines of an import as CSV: line number, column, reason. */
export const rejectedDownload: SettingsPage = {
  path: "/certificates/import/:import/rejected.csv",
  section: "certificates",
  async download(visit) {
    const importId = visit.params.import ?? "";
    // Called before the response begins, so that the merchant sees an error page if the import is unknown.
    await visit.registry.imports.getImport({ importId });
    return {
      fileName: "rejected-lines.csv",
      contentType: "text/csv; charset=utf-8",
      content: records(visit, importId),
    };
  },
};

async function* records({ registry, language }: Visit, importId: string): AsyncGenerator<string> {
  yield `\uFEFF${csvRecord(["line", "column", "reason"])}`;
  let afterNumber = 0;
  do {
    const page = await registry.imports.listRejectedLines({ importId, afterNumber, limit: pageSize });
    for (const rejected of page.lines)
      yield csvRecord([String(rejected.line), rejected.column, rejectionText(rejected, language)]);
    afterNumber = page.nextNumber;
  } while (afterNumber > 0);
}
