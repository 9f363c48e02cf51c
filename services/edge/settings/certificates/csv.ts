import type { FindCertificatesResponse } from "#gen/registry/v1/inspection_service_pb.js";
import type { PublicCertificate } from "#shared/certificates/public-certificate.ts";
import { errorCodes } from "#shared/errors/error-codes.ts";
import { retryUntil } from "#shared/retry/retry-until.ts";
import { toServiceError } from "#shared/rpc/error-conversion.ts";
import { csvRecord } from "#shared/text/csv-record.ts";
import { steadyClock } from "#shared/time/clock.ts";
import type { SettingsCalls } from "../../registry-client/settings-client.ts";
import type { SettingsPage } from "../model/settings-page.ts";
import { parseCertificate } from "./certificate.ts";
import { searchOf } from "./search.ts";

const pageSize = 100;
// A file that has begun cannot report a failure: the browser would keep a part of it, or nothing.
const failuresMax = 5;
const pauseMs = { first: 1_000, max: 8_000 };

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
  async download({ registry, query }) {
    const search = wholeSearchOf(query);
    const first = await registry.inspection.findCertificates({ ...search, limit: pageSize });
    return {
      fileName: "certificates.csv",
      contentType: "text/csv; charset=utf-8",
      content: pagesOf(registry, search, first),
    };
  },
};

function isFinal(error: unknown, failures: number): boolean {
  return failures >= failuresMax || !errorCodes[toServiceError(error).code].retryable;
}

/** Returns the query's search without its page position, so that the download contains all pages. */
function wholeSearchOf(query: URLSearchParams) {
  const { after: _, ...search } = searchOf(query);
  return search;
}

async function* pagesOf(
  { inspection }: Pick<SettingsCalls, "inspection">,
  search: ReturnType<typeof wholeSearchOf>,
  first: FindCertificatesResponse,
): AsyncGenerator<string> {
  yield csvHeader;
  for (let page = first; ; ) {
    yield page.certificates.map((json) => csvRow(parseCertificate(json))).join("");
    if (page.next === undefined) return;
    const request = { ...search, after: page.next, limit: pageSize };
    page = await retryUntil(() => inspection.findCertificates(request), { isFinal, pauseMs, clock: steadyClock });
  }
}

/** A byte order mark, by which spreadsheet programs recognize UTF-8, and the column names. */
export const csvHeader = `\uFEFF${csvRecord(columns.map(([name]) => name))}`;

/** Renders a certificate as a CSV record. */
export function csvRow(certificate: PublicCertificate): string {
  return csvRecord(columns.map(([, value]) => value(certificate) ?? ""));
}
