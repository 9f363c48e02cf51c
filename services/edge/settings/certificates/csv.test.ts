import { expect, test } from "vitest";
import type { PublicCertificate } from "#shared/certificates/public-certificate.ts";
import { csvHeader, csvRow } from "./csv.ts";

const person = { name: "Ada Lovelace", email: "ada@example.test" };
const certificate: PublicCertificate = {
  id: "crt_1",
  serial: "000001",
  status: "active",
  product: { id: "7001", title: 'Kite "Season", No. 3', variant: "", sku: "LP" },
  edition: { number: 7, total: 50, formatted: "07/50" },
  order: { id: "7001", name: "#1042" },
  owner: person,
  originalBuyer: person,
  issuedAt: "2026-03-14T10:00:00.000Z",
  updatedAt: "2026-03-14T10:00:00.000Z",
  expiresAt: null,
  revokedAt: null,
  revokedReason: null,
  verifyUrl: "https://verify.example.test/c/token?lang=en",
};

const linesOf = (changes: Partial<PublicCertificate>) =>
  `${csvHeader}${csvRow({ ...certificate, ...changes })}`.split("\r\n");

test("the file begins with a byte order mark and a header; fields with quotation marks or commas are quoted", () => {
  const [header, row, end] = linesOf({});
  expect(header).toMatch(/^\uFEFFserial,status,product,/);
  expect(row).toBe(
    '000001,active,"Kite ""Season"", No. 3",,LP,07/50,#1042,Ada Lovelace,ada@example.test,' +
      "2026-03-14T10:00:00.000Z,,,,https://verify.example.test/c/token?lang=en,crt_1",
  );
  expect(end).toBe("");
});

test("a name that spreadsheets would evaluate as a formula is escaped", () => {
  expect(linesOf({ owner: { ...person, name: "=1+2" } })[1]).toContain(",'=1+2,");
});
