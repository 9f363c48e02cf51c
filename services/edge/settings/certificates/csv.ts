import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { type PublicCertificate, publicCertificatesSchema } from "#shared/certificates/public-certificate.ts";
import { csvRecord } from "#shared/text/csv-record.ts";
import { downloadedPages } from "../engine/downloaded-pages.ts";
import type { SettingsPage } from "../model/settings-page.ts";
import { searchOf } from "./search.ts";

// As many as a call permits. A page is a second's work for the slowest of databases, and 12 ms of the edge's.
const pageSize = 1_000;

const columns: readonly (readonly [name: string, value: (certificate: PublicCertificate) => string | null])[] = [
  ["serial", ({ serial }) => serial],
  ["status", ({ status }) => status],
  ["product", ({ product }) => product.title],
  ["variant", ({ product }) => product.variant],
  ["sku", ({ product }) => product.sku],
  ["edition", ({ edition }) => edition?.formatted ?? ""],
  ["order", ({ order }) => order.name],
  ["owner", ({ owner }) => owner.name],
  ["owner_email", ({ owner }) => owner.email],
  ["issued_at", ({ issuedAt }) => issuedAt],
  ["expires_at", ({ expiresAt }) => expiresAt],
  ["revoked_at", ({ revokedAt }) => revokedAt],
  ["revoked_reason", ({ revokedReason }) => revokedReason],
  ["verify_url", ({ verifyUrl }) => verifyUrl],
  ["id", ({ id }) => id],
  ["updated_at", ({ updatedAt }) => updatedAt],
];

/**
 * Exports as CSV all certificates that a search finds, least recently changed first.
 *
 * A change during the export moves a certificate to the end of the list, which the export reads last. So the file has
 * each certificate that matches at its end, in its newest state; a certificate that was exported before its change is
 * in it twice, and the later record is the valid one (`updated_at`).
 */
export const csvDownload: SettingsPage = {
  path: "/certificates.csv",
  section: "certificates",
  async download({ registry: { inspection }, query, clientSignal }) {
    const search = wholeSearchOf(query);
    const pages = await downloadedPages(
      async (after?: Timestamp) => {
        const request = { ...search, ...(after && { after }), limit: pageSize, asJson: true };
        const { json, next } = await inspection.findCertificates(request);
        // Rendered at once: while it waits for the client, a record takes less memory than a certificate.
        return { records: csvRecords(json), next };
      },
      ({ next }) => next,
      clientSignal,
    );
    return { fileName: "certificates.csv", contentType: "text/csv; charset=utf-8", content: contentOf(pages) };
  },
};

/** Returns the query's search without its page position, so that the download contains all pages. */
function wholeSearchOf(query: URLSearchParams) {
  const { after: _, ...search } = searchOf(query);
  return search;
}

async function* contentOf(pages: AsyncIterable<{ readonly records: string }>): AsyncGenerator<string> {
  yield csvHeader;
  for await (const { records } of pages) yield records;
}

function csvRecords(json: Uint8Array): string {
  return publicCertificatesSchema
    .parse(JSON.parse(`[${Buffer.from(json)}]`))
    .map(csvRow)
    .join("");
}

/** A byte order mark, by which spreadsheet programs recognize UTF-8, and the column names. */
export const csvHeader = `\uFEFF${csvRecord(columns.map(([name]) => name))}`;

export function csvRow(certificate: PublicCertificate): string {
  return csvRecord(columns.map(([, value]) => value(certificate) ?? ""));
}
