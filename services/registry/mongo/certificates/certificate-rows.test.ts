import { BSON } from "mongodb";
import { expect, test } from "vitest";
import { certificateFixture } from "../../certificates/draft-fixture.ts";
import { rowOfCertificate } from "../../certificates/page-json.ts";
import { rendererVersion } from "../../certificates/public-json.ts";
import { documentOf } from "../documents/convert-documents.ts";
import type { StoredJson } from "../documents/documents.ts";
import { BsonCursor } from "../driver/bson-cursor.ts";
import { rowFields, rowOf } from "./certificate-rows.ts";

const certificate = {
  ...certificateFixture,
  edition: { number: 7, total: 50 },
  expiresAt: new Date("1969-12-31T23:59:59.999Z"),
  owner: { name: "Jörg €", email: "joerg@example.test" },
};

function project(document: object): Record<string, unknown> {
  const names = ["_id", ...Object.keys(rowFields)];
  return Object.fromEntries(Object.entries(document).filter(([name]) => names.includes(name)));
}

const read = (document: object) =>
  rowOf(new BsonCursor(Buffer.from(BSON.serialize(document, { ignoreUndefined: true })), 0));

test.each([
  ["an edition and an expiry", certificate],
  ["neither an edition nor an expiry", certificateFixture],
  ["its id as the link token", { ...certificateFixture, linkToken: certificateFixture.id }],
])("reads a certificate with %s from the stored bytes", (_name, one) => {
  const { linkToken, json, status, edition, expiresAt, updatedAt } = rowOfCertificate(one);
  expect(read(project(documentOf(one)))).toEqual({ linkToken, json, status, edition, expiresAt, updatedAt });
});

test.each([
  ["by another renderer", (json: StoredJson) => json.with(0, rendererVersion + 1)],
  ["for another state", (json: StoredJson) => json.with(1, new Date(1))],
  ["without a version", (json: StoredJson) => json.slice(2)],
])("returns undefined for a document whose JSON was stored %s", (_case, change) => {
  const { json, ...document } = documentOf(certificate);
  if (json === undefined) throw new Error("the document has no JSON");
  expect(read(project({ ...document, json: change(json) }))).toBeUndefined();
});

test("returns undefined for a document without stored JSON", () => {
  const { json: _, ...document } = project(documentOf(certificate));
  expect(read(document)).toBeUndefined();
});

test.each([
  ["status", undefined, "lacks status"],
  ["status", "lost", "unknown status lost"],
  ["status", 7, "a non-string value where a string is expected"],
  ["json", [rendererVersion, certificate.updatedAt, "{"], "has fewer than three parts"],
  ["updatedAt", null, "lacks updatedAt"],
])("refuses a document with the %s %j", (name, value, message) => {
  const document = { ...project(documentOf(certificate)), [name]: value };
  expect(() => read(document)).toThrow(message);
});
