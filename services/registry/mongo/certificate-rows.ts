import { BSON, BSONType } from "mongodb";
import type { Status } from "../certificates/certificate.ts";
import type { CertificateRow } from "../certificates/page-json.ts";
import type { EditionNumber } from "../values/edition.ts";

/** Projection of a certificate's document to the fields that {@link rowOf} reads. */
export const rowFields = { json: 1, linkToken: 1, status: 1, edition: 1, expiresAt: 1, updatedAt: 1 } as const;

const statuses: readonly string[] = ["active", "revoked", "expired"] satisfies readonly Status[];

/**
 * Reads a row from the BSON of a projected document. The strings of its JSON are not decoded: the row refers to their
 * bytes.
 *
 * @returns undefined for a document of an earlier version, which has no stored JSON
 * @throws Error if another field is missing or malformed, or a part of the JSON is missing
 */
export function rowOf(document: Uint8Array): CertificateRow | undefined {
  const bytes = Buffer.from(document.buffer, document.byteOffset, document.byteLength);
  const fields = fieldsOf(bytes, 0);
  const json = fields.get("json");
  if (json === undefined) return undefined;
  const [beforeStatus, beforeEdition, beforeLink] = Array.from(fieldsOf(bytes, json.offset).values(), (part) =>
    textOf(bytes, part),
  );
  if (beforeStatus === undefined || beforeEdition === undefined || beforeLink === undefined)
    throw new Error("a certificate's stored JSON lacks a part");
  const required = (name: string) => {
    const field = fields.get(name);
    if (field === undefined) throw new Error(`a certificate's document lacks ${name}`);
    return field;
  };
  const updatedAt = dateOf(bytes, required("updatedAt"));
  if (updatedAt === null) throw new Error("a certificate's updatedAt is null");
  return {
    linkToken: textOf(bytes, fields.get("linkToken") ?? required("_id")),
    json: [beforeStatus, beforeEdition, beforeLink],
    status: statusOf(textOf(bytes, required("status")).toString()),
    edition: editionOf(bytes, required("edition")),
    expiresAt: dateOf(bytes, required("expiresAt")),
    updatedAt,
  };
}

/** A value in BSON. */
interface Field {
  readonly type: number;
  readonly offset: number;
  readonly length: number;
}

/** Locates the values of the document or array at an offset, by name. */
function fieldsOf(bytes: Buffer, offset: number): ReadonlyMap<string, Field> {
  const fields = new Map<string, Field>();
  for (const [type, nameOffset, nameLength, valueOffset, length] of BSON.onDemand.parseToElements(bytes, offset))
    fields.set(bytes.toString("latin1", nameOffset, nameOffset + nameLength), { type, offset: valueOffset, length });
  return fields;
}

// A string is its length in four bytes, the text in UTF-8 and a zero byte.
function textOf(bytes: Buffer, { type, offset, length }: Field): Buffer {
  if (type !== BSONType.string) throw new Error("a certificate's document has another type in place of a string");
  return bytes.subarray(offset + 4, offset + length - 1);
}

// A date is the number of milliseconds since the Unix epoch in eight bytes.
function dateOf(bytes: Buffer, { type, offset }: Field): Date | null {
  return type === BSONType.date ? new Date(Number(bytes.readBigInt64LE(offset))) : null;
}

function editionOf(bytes: Buffer, { type, offset, length }: Field): EditionNumber | null {
  if (type !== BSONType.object) return null;
  const { number, total } = BSON.deserialize(bytes.subarray(offset, offset + length));
  return { number: Number(number), total: Number(total) };
}

function statusOf(text: string): Status {
  if (!isStatus(text)) throw new Error(`a certificate has the unknown status ${text}`);
  return text;
}

function isStatus(text: string): text is Status {
  return statuses.includes(text);
}
