import type { EditionNumber } from "../values/edition.ts";
import type { RenderSettings } from "../values/store.ts";
import { type Certificate, type Status, statusAt } from "./certificate.ts";
import { formattedJson, linkAffixes, renderParts } from "./public-json.ts";

/** The stored data from which the list renders a certificate: all text is UTF-8. */
export interface CertificateRow {
  readonly linkToken: Buffer;
  /** See `JsonParts`. */
  readonly json: readonly [beforeStatus: Buffer, beforeEdition: Buffer, beforeLink: Buffer];
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
  /** Where each member ends in `bytes`. */
  readonly ends: readonly number[];
}

const comma = Buffer.from(",");

/** Renders the row of a certificate that has no stored JSON. */
export function rowOfCertificate(certificate: Certificate): CertificateRow {
  const [beforeStatus, beforeEdition, beforeLink] = renderParts(certificate);
  const json = [Buffer.from(beforeStatus), Buffer.from(beforeEdition), Buffer.from(beforeLink)] as const;
  return { ...certificate, linkToken: Buffer.from(certificate.linkToken), json };
}

/**
 * Renders certificates into one buffer without parsing their stored JSON: the same bytes as `renderCertificate`.
 *
 * @param now the time that determines whether a status is `active` or `expired`
 */
export function renderPage(rows: readonly CertificateRow[], settings: RenderSettings, now: Date): PageJson {
  const affixes = linkAffixes(settings);
  const [prefix, suffix] = [Buffer.from(affixes.prefix), Buffer.from(affixes.suffix)];
  const pieces: Uint8Array[] = [];
  const ends: number[] = [];
  let length = 0;
  for (const row of rows) {
    const [beforeStatus, beforeEdition, beforeLink] = row.json;
    const edition = row.edition === null ? nothing : Buffer.from(formattedJson(row.edition, settings));
    const ofRow = [
      beforeStatus,
      statuses[statusAt(row, now)],
      beforeEdition,
      edition,
      beforeLink,
      prefix,
      row.linkToken,
      suffix,
    ];
    if (ends.length > 0) ofRow.unshift(comma);
    for (const piece of ofRow) length += piece.length;
    pieces.push(...ofRow);
    ends.push(length);
  }
  return { bytes: Buffer.concat(pieces, length), ends };
}

const nothing = Buffer.alloc(0);

const statuses: Readonly<Record<Status, Uint8Array>> = {
  active: Buffer.from('"active"'),
  revoked: Buffer.from('"revoked"'),
  expired: Buffer.from('"expired"'),
};

/** Returns the public JSON of each certificate of a page; the buffers share the memory of `bytes`. */
export function certificatesOf({ bytes, ends }: PageJson): Buffer[] {
  return ends.map((end, index) => bytes.subarray(index === 0 ? 0 : (ends[index - 1] ?? 0) + 1, end));
}
