import type { RejectedLine } from "#gen/settings/v1/import_settings_service_pb.js";
import { csvRecord } from "#shared/text/csv-record.ts";
import type { Language } from "#shared/texts/languages.ts";
import { downloadedPages } from "../engine/downloaded-pages.ts";
import type { SettingsPage } from "../model/settings-page.ts";
import { rejectionText } from "./rejection-text.ts";

const pageSize = 1_000;

/** Sends the rejected lines of an import as CSV: line number, column, reason. */
export const rejectedDownload: SettingsPage = {
  path: "/certificates/import/:import/rejected.csv",
  section: "certificates",
  async download({ registry, params, language, clientSignal }) {
    const importId = params.import ?? "";
    // Called before the response begins, so that the merchant sees an error page if the import is unknown.
    await registry.imports.getImport({ importId });
    const pages = await downloadedPages(
      (afterNumber?: number) =>
        registry.imports.listRejectedLines({ importId, ...(afterNumber && { afterNumber }), limit: pageSize }),
      ({ nextNumber }) => (nextNumber > 0 ? nextNumber : undefined),
      clientSignal,
    );
    return {
      fileName: "rejected-lines.csv",
      contentType: "text/csv; charset=utf-8",
      content: records(pages, language),
    };
  },
};

async function* records(
  pages: AsyncIterable<{ readonly lines: readonly RejectedLine[] }>,
  language: Language,
): AsyncGenerator<string> {
  yield `\uFEFF${csvRecord(["line", "column", "reason"])}`;
  for await (const { lines } of pages)
    for (const rejected of lines)
      yield csvRecord([String(rejected.line), rejected.column, rejectionText(rejected, language)]);
}
