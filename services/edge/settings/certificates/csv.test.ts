import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import {
  type FindCertificatesRequest,
  FindCertificatesResponseSchema,
} from "#gen/registry/v1/inspection_service_pb.js";
import type { PublicCertificate } from "#shared/certificates/public-certificate.ts";
import { publicCertificateFixture } from "#shared/certificates/public-certificate-fixture.ts";
import { settingsServices } from "../../registry-client/settings-services.ts";
import { visitFixture } from "../visit-fixture.ts";
import { csvDownload, csvHeader, csvRow } from "./csv.ts";

const certificate: PublicCertificate = {
  ...publicCertificateFixture,
  product: { id: "7001", title: 'Kite "Season", No. 3', variant: "", sku: "LP" },
  edition: { number: 7, total: 50, formatted: "07/50" },
  order: { id: "7001", name: "#1042" },
  verifyUrl: "https://verify.example.test/c/token?lang=en",
};

const linesOf = (changes: Partial<PublicCertificate>) =>
  `${csvHeader}${csvRow({ ...certificate, ...changes })}`.split("\r\n");

test("the file begins with a byte order mark and a header; fields with quotation marks or commas are quoted", () => {
  const [header, row, end] = linesOf({});
  expect(header).toMatch(/^\uFEFFserial,status,product,/);
  expect(row).toBe(
    '000001,active,"Kite ""Season"", No. 3",,LP,07/50,#1042,Ada Lovelace,ada@example.test,' +
      "2026-03-14T10:00:00.000Z,,,,https://verify.example.test/c/token?lang=en,crt_1,2026-03-14T10:00:00.000Z",
  );
  expect(end).toBe("");
});

test("a name that spreadsheets would evaluate as a formula is escaped", () => {
  expect(linesOf({ owner: { ...publicCertificateFixture.owner, name: "=1+2" } })[1]).toContain(",'=1+2,");
});

test("a download has each page once, from the first on, in calls of the largest permitted size", async () => {
  const next = timestampFromDate(new Date("2026-03-14T10:00:00Z"));
  const findCertificates = ({ after, search, limit, asJson }: FindCertificatesRequest) => {
    expect({ search, limit, asJson }).toEqual({ search: "kite", limit: 1_000, asJson: true });
    return create(FindCertificatesResponseSchema, {
      json: Buffer.from(JSON.stringify({ ...certificate, id: after ? "crt_2" : "crt_1" })),
      ...(after === undefined && { next }),
    });
  };
  const query = new URLSearchParams({ q: "kite", after: "1" });
  const visit = visitFixture(({ service }) => service(settingsServices.inspection, { findCertificates }), { query });
  let text = "";
  for await (const part of (await csvDownload.download?.(visit))?.content ?? []) text += part;
  expect([...text.matchAll(/crt_\d/g)].map(([id]) => id)).toEqual(["crt_1", "crt_2"]);
});
