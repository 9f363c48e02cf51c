import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { FindCertificatesResponseSchema } from "#gen/registry/v1/inspection_service_pb.js";
import type { PublicCertificate } from "#shared/certificates/public-certificate.ts";
import { settingsServices } from "../../registry-client/settings-services.ts";
import { visitFixture } from "../visit-fixture.ts";
import { csvDownload, csvHeader, csvRow } from "./csv.ts";

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

/** Downloads a file of three pages. @param failure what the second page fails with, once */
async function download(failure: ConnectError): Promise<string> {
  let calls = 0;
  const next = timestampFromDate(new Date("2026-03-14T10:00:00Z"));
  const findCertificates = () => {
    calls++;
    if (calls === 2) throw failure;
    return create(FindCertificatesResponseSchema, { certificates: [certificate], ...(calls < 4 && { next }) });
  };
  const visit = visitFixture(({ service }) => service(settingsServices.inspection, { findCertificates }));
  let text = "";
  for await (const part of (await csvDownload.download?.(visit))?.content ?? []) text += part;
  return text;
}

test("a download repeats a page that failed for a moment, and has each page once", async () => {
  const text = await download(new ConnectError("busy", Code.Unavailable));
  expect(text.split("\r\n").filter((line) => line.includes("crt_1"))).toHaveLength(3);
});

test("a download ends at once when its session has ended", async () => {
  await expect(download(new ConnectError("ended", Code.Unauthenticated))).rejects.toThrow("ended");
});
