import fc from "fast-check";
import { expect, test } from "vitest";
import { editionStyles } from "#shared/certificates/edition.ts";
import type { Certificate } from "./certificate.ts";
import { certificateFixture } from "./draft-fixture.ts";
import { renderPage, rowOfCertificate } from "./page-json.ts";
import { renderCertificate } from "./public-json.ts";

const settings = { editionStyle: "no_of", verifyBaseUrl: "https://verify.example.test/c", language: "de" } as const;
const now = new Date(1_000);

const dates = fc.option(fc.date({ min: new Date(0), max: new Date(2_000), noInvalidDate: true }));
const texts = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom('","status":"revoked', "\u2028", '"}', "€"));
const certificates: fc.Arbitrary<Certificate> = fc.record({
  ...Object.fromEntries(Object.entries(certificateFixture).map(([name, value]) => [name, fc.constant(value)])),
  status: fc.constantFrom("active", "revoked", "expired"),
  product: fc.record({ id: texts, title: texts, variant: texts, sku: texts }),
  edition: fc.option(fc.record({ number: fc.nat(), total: fc.nat() })),
  order: fc.option(fc.record({ id: texts, name: texts })),
  owner: fc.record({ name: texts, email: texts }),
  expiresAt: dates,
  revokedAt: dates,
  revokedReason: fc.option(texts),
}) as fc.Arbitrary<Certificate>;

test("renders a page to the same bytes as its certificates rendered individually and joined with commas", () => {
  fc.assert(
    fc.property(fc.array(certificates), fc.constantFrom(...editionStyles), (page, editionStyle) => {
      const styled = { ...settings, editionStyle };
      const expected = page.map((certificate) => renderCertificate(certificate, styled, now).toString());
      const json = renderPage(page.map(rowOfCertificate), styled, now);
      expect(json.toString()).toBe(expected.join(","));
      expect(JSON.parse(`[${json}]`)).toEqual(expected.map((one) => JSON.parse(one)));
    }),
  );
});
