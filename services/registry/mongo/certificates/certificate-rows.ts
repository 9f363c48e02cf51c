import type { EditionNumber } from "#shared/certificates/edition.ts";
import type { Status } from "../../certificates/certificate.ts";
import type { CertificateRow } from "../../certificates/page-json.ts";
import { rendererVersion } from "../../certificates/public-json.ts";
import type { BsonCursor } from "../driver/bson-cursor.ts";

/** Projection of a certificate's document to the fields that {@link rowOf} reads. */
export const rowFields = { json: 1, linkToken: 1, status: 1, edition: 1, expiresAt: 1, updatedAt: 1 } as const;

const names = {
  linkToken: Buffer.from("linkToken"),
  json: Buffer.from("json"),
  status: Buffer.from("status"),
  edition: Buffer.from("edition"),
  expiresAt: Buffer.from("expiresAt"),
  updatedAt: Buffer.from("updatedAt"),
  number: Buffer.from("number"),
  total: Buffer.from("total"),
} as const;

const statuses: readonly string[] = ["active", "revoked", "expired"] satisfies readonly Status[];

/**
 * Reads a row from the fields of a projected document.
 *
 * @returns undefined for a document without current JSON, which a migration or the next change stores
 * @throws Error if the link token, the status, `updatedAt` or a part of the JSON is missing or malformed
 */
export function rowOf(fields: BsonCursor): CertificateRow | undefined {
  let linkToken: string | undefined;
  let stored: BsonCursor | undefined;
  let status: string | undefined;
  let edition: EditionNumber | null = null;
  let expiresAt: Date | undefined;
  let updatedAt: Date | undefined;
  while (fields.next()) {
    if (fields.isNamed(names.linkToken)) linkToken = fields.byteString();
    else if (fields.isNamed(names.json)) stored = fields.elements();
    else if (fields.isNamed(names.status)) status = fields.byteString();
    else if (fields.isNamed(names.edition)) edition = editionOf(fields.elements());
    else if (fields.isNamed(names.expiresAt)) expiresAt = fields.date();
    else if (fields.isNamed(names.updatedAt)) updatedAt = fields.date();
  }
  if (linkToken === undefined) throw new Error("a certificate's document lacks linkToken");
  if (updatedAt === undefined) throw new Error("a certificate's document lacks updatedAt");
  const json = stored && currentParts(stored, updatedAt);
  return json && { linkToken, json, status: statusOf(status), edition, expiresAt: expiresAt ?? null, updatedAt };
}

/** Returns the parts of stored JSON; undefined if another renderer wrote them, or for another state. */
function currentParts(array: BsonCursor, updatedAt: Date): CertificateRow["json"] | undefined {
  if (!array.next() || array.number() !== rendererVersion) return undefined;
  if (!array.next() || array.date()?.getTime() !== updatedAt.getTime()) return undefined;
  return [partOf(array), partOf(array), partOf(array)];
}

function partOf(array: BsonCursor): string {
  if (!array.next()) throw new Error("a certificate's stored JSON has fewer than three parts");
  return array.byteString();
}

function editionOf(document: BsonCursor | undefined): EditionNumber | null {
  if (document === undefined) return null;
  const edition = { number: Number.NaN, total: Number.NaN };
  while (document.next()) {
    if (document.isNamed(names.number)) edition.number = document.number();
    else if (document.isNamed(names.total)) edition.total = document.number();
  }
  return edition;
}

function statusOf(text: string | undefined): Status {
  if (text === undefined) throw new Error("a certificate's document lacks status");
  if (!isStatus(text)) throw new Error(`a certificate has the unknown status ${text}`);
  return text;
}

function isStatus(text: string): text is Status {
  return statuses.includes(text);
}
