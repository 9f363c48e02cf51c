import type { EditionNumber } from "#shared/certificates/edition.ts";
import type { RenderSettings } from "../values/store.ts";
import { type Certificate, type Status, statusAt } from "./certificate.ts";
import { formattedJson, type JsonParts, linkAffixes, renderParts } from "./public-json.ts";

/**
 * The stored data from which the list renders a certificate. Each character of a string holds one UTF-8 byte, so that
 * the strings can be joined into a page without being decoded and encoded.
 */
export interface CertificateRow {
  readonly linkToken: string;
  readonly json: JsonParts;
  /** Stored status, as in `Certificate`. */
  readonly status: Status;
  readonly edition: EditionNumber | null;
  readonly expiresAt: Date | null;
  readonly updatedAt: Date;
}

/** Builds the row of a certificate from its fields rather than from stored JSON. */
export function rowOfCertificate(certificate: Certificate): CertificateRow {
  const [beforeStatus, beforeEdition, beforeLink] = renderParts(certificate);
  const json = [bytesOf(beforeStatus), bytesOf(beforeEdition), bytesOf(beforeLink)] as const;
  return { ...certificate, linkToken: bytesOf(certificate.linkToken), json };
}

/**
 * Renders certificates without parsing their stored JSON. Each certificate's bytes equal those of `renderCertificate`.
 *
 * @param now the time that determines whether a status is `active` or `expired`
 * @returns the members of a JSON array in UTF-8, separated by commas, without brackets
 */
export function renderPage(rows: readonly CertificateRow[], settings: RenderSettings, now: Date): Buffer {
  const affixes = linkAffixes(settings);
  const [prefix, suffix] = [bytesOf(affixes.prefix), bytesOf(affixes.suffix)];
  let text = "";
  for (const row of rows) {
    const [beforeStatus, beforeEdition, beforeLink] = row.json;
    // ASCII, in which each character is one byte.
    const edition = formattedJson(row.edition, settings);
    text += text === "" ? beforeStatus : `,${beforeStatus}`;
    text += `"${statusAt(row, now)}"${beforeEdition}${edition}${beforeLink}${prefix}${row.linkToken}${suffix}`;
  }
  return Buffer.from(text, "latin1");
}

/** Returns the UTF-8 bytes of a string as a string with one byte per character. */
function bytesOf(text: string): string {
  return Buffer.from(text).toString("latin1");
}
