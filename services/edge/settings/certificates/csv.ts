import type { Timestamp } from "@bufbuild/protobuf/wkt";
import type { FindCertificatesResponse } from "#gen/registry/v1/inspection_service_pb.js";
import type { PublicCertificate } from "#shared/certificates/public-certificate.ts";
import { csvRecord } from "#shared/text/csv-record.ts";
import { downloadedPages } from "../engine/downloaded-pages.ts";
import type { SettingsPage } from "../model/settings-page.ts";
import { parseCertificate } from "./certificate.ts";
import { searchOf } from "./search.ts";

const pageSize = 100;

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
];

/**
 * Exports as CSV all certificates that a search finds, least recently changed first. A certificate that changes during
 * the export moves to the end: it is not left out if it still matches, but may appear twice. Reads one page at a time.
 */
export const csvDownload: SettingsPage = {
  path: "/certificates.csv",
  section: "certificates",
  async download({ registry: { inspection }, query, clientSignal }) {
    const search = wholeSearchOf(query);
    const pages = await downloadedPages(
      (after?: Timestamp) => inspection.findCertificates({ ...search, ...(after && { after }), limit: pageSize }),
      ({ next }) => next,
      clientSignal,
    );
    return { fileName: "certificates.csv", contentType: "text/csv; charset=utf-8", content: records(pages) };
  },
};

/** Returns the query's search without its page position, so that the download contains all pages. */
function wholeSearchOf(query: URLSearchParams) {
  const { after: _, ...search } = searchOf(query);
  return search;
}

async function* records(pages: AsyncIterable<Pick<FindCertificatesResponse, "certificates">>): AsyncGenerator<string> {
  yield csvHeader;
  for await (const { certificates } of pages) yield certificates.map((json) => csvRow(parseCertificate(json))).join("");
}

/** A byte order mark, by which spreadsheet programs recognize UTF-8, and the column names. */
export const csvHeader = `\uFEFF${csvRecord(columns.map(([name]) => name))}`;

/** Renders a certificate as a CSV record. */
export function csvRow(certificate: PublicCertificate): string {
  return csvRecord(columns.map(([, value]) => value(certificate) ?? ""));
}
