import type { SettingsPage } from "../model/settings-page.ts";
import { parseCertificate, type ShownCertificate } from "./certificate.ts";
import { searchOf } from "./search.ts";

const pageSize = 100;
// The response must be complete before the time limit of a request.
const certificatesMax = 5_000;

const columns: readonly (readonly [name: string, value: (certificate: ShownCertificate) => string | null])[] = [
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

/** Exports the certificates of a search as CSV (RFC 4180), the most recently changed first. */
export const csvDownload: SettingsPage = {
  path: "/certificates.csv",
  section: "certificates",
  async download({ registry, query }) {
    const found: ShownCertificate[] = [];
    let search = searchOf(query);
    for (;;) {
      const request = { ...search, limit: pageSize, newestFirst: true };
      const { certificates, next } = await registry.certificates.findCertificates(request);
      found.push(...certificates.map(parseCertificate));
      if (next === undefined || found.length >= certificatesMax) break;
      search = { ...search, after: next };
    }
    return { fileName: "certificates.csv", contentType: "text/csv; charset=utf-8", content: toCsv(found) };
  },
};

/** Renders certificates as CSV with a byte order mark, by which spreadsheets recognize UTF-8. */
export function toCsv(certificates: readonly ShownCertificate[]): string {
  const header = columns.map(([name]) => name);
  const rows = certificates.map((certificate) => columns.map(([, value]) => field(value(certificate) ?? "")));
  return `\uFEFF${[header, ...rows].map((cells) => `${cells.join(",")}\r\n`).join("")}`;
}

// A spreadsheet would execute a text that begins like a formula, and buyers choose their names.
function field(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
