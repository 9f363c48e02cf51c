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

/** The public JSON of several certificates. */
export interface PageJson {
  /** The members of a JSON array in UTF-8, separated by commas, without brackets. */
  readonly bytes: Buffer;
  /** The offset in `bytes` at which each member ends. */
  readonly ends: readonly number[];
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
 */
export function renderPage(rows: readonly CertificateRow[], settings: RenderSettings, now: Date): PageJson {
  const affixes = linkAffixes(settings);
  const [prefix, suffix] = [bytesOf(affixes.prefix), bytesOf(affixes.suffix)];
  const ends: number[] = [];
  let text = "";
  for (const row of rows) {
    const [beforeStatus, beforeEdition, beforeLink] = row.json;
    // ASCII, in which each character is one byte.
    const edition = formattedJson(row.edition, settings);
    text += ends.length === 0 ? beforeStatus : `,${beforeStatus}`;
    text += `"${statusAt(row, now)}"${beforeEdition}${edition}${beforeLink}${prefix}${row.linkToken}${suffix}`;
    ends.push(text.length);
  }
  return { bytes: Buffer.from(text, "latin1"), ends };
}

/** Returns the UTF-8 bytes of a string as a string with one byte per character. */
function bytesOf(text: string): string {
  return Buffer.from(text).toString("latin1");
}

/** Returns the public JSON of each certificate of a page; the buffers share the memory of `bytes`. */
export function certificatesOf({ bytes, ends }: PageJson): Buffer[] {
  return ends.map((end, index) => bytes.subarray(index === 0 ? 0 : (ends[index - 1] ?? 0) + 1, end));
}
