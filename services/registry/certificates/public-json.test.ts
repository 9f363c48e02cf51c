import { expect, test } from "vitest";
import type { RenderSettings } from "../values/store.ts";
import type { Certificate } from "./certificate.ts";
import { certificateFixture } from "./draft-fixture.ts";
import { renderCertificate, verifyUrl } from "./public-json.ts";

const settings: RenderSettings = {
  editionStyle: "zero_padded",
  verifyBaseUrl: "https://verify.example.test/c",
  language: "de",
};

const certificate: Certificate = {
  ...certificateFixture,
  serial: 42,
  status: "revoked",
  product: { id: "7001", title: "Alpine Jacket", variant: "M / Blue", sku: "AJ-M" },
  edition: { number: 7, total: 50 },
  order: { id: "450789469", name: "#1001" },
  owner: { name: "Ben Example", email: "ben@example.test" },
  originalBuyer: { name: "Ada Example", email: "ada@example.test" },
  issuedAt: new Date("2026-01-02T03:04:05.000Z"),
  updatedAt: new Date("2026-02-03T04:05:06.700Z"),
  expiresAt: new Date("2026-03-04T00:00:00.000Z"),
  revokedAt: new Date("2026-02-03T04:05:06.700Z"),
  revokedReason: "Refund",
  issueKey: "450789469/1/1",
  wasWithdrawn: true,
};

test("renders a revoked and transferred certificate to exactly the same bytes before and after its expiry", () => {
  const expected =
    '{"id":"crt_1","serial":"000042","status":"revoked",' +
    '"product":{"id":"7001","title":"Alpine Jacket","variant":"M / Blue","sku":"AJ-M"},' +
    '"edition":{"number":7,"total":50,"formatted":"07/50"},' +
    '"order":{"id":"450789469","name":"#1001"},' +
    '"owner":{"name":"Ben Example","email":"ben@example.test"},' +
    '"originalBuyer":{"name":"Ada Example","email":"ada@example.test"},' +
    '"issuedAt":"2026-01-02T03:04:05.000Z","updatedAt":"2026-02-03T04:05:06.700Z",' +
    '"expiresAt":"2026-03-04T00:00:00.000Z","revokedAt":"2026-02-03T04:05:06.700Z",' +
    '"revokedReason":"Refund","verifyUrl":"https://verify.example.test/c/0123456789abcdefghjkmnpqrs?lang=de"}';
  for (const now of ["2026-02-04T00:00:00Z", "2027-01-01T00:00:00Z"])
    expect(renderCertificate(certificate, settings, new Date(now)).toString("utf8")).toBe(expected);
});

test("omits stored fields that are not public", () => {
  const stored = { ...certificate, ownerEmailKey: "secret", _id: "secret", note: "secret" };
  const text = renderCertificate(stored, settings, new Date(0)).toString("utf8");
  expect(text).not.toContain("secret");
  expect(text).not.toContain("sto_1");
  expect(text).not.toContain("450789469/1/1");
  expect(text).not.toContain("wasWithdrawn");
});

test("renders the status at the given time, to the millisecond", () => {
  const active: Certificate = { ...certificate, status: "active", revokedAt: null, revokedReason: null };
  const statusAfter = (ms: number) => {
    const now = new Date(Date.parse("2026-03-04T00:00:00.000Z") + ms);
    return JSON.parse(renderCertificate(active, settings, now).toString("utf8")).status;
  };
  expect([-1, 0, 1].map(statusAfter)).toEqual(["active", "expired", "expired"]);
});

test("adds the language to the verification link", () => {
  expect(verifyUrl("crt_1", { ...settings, language: "zh-Hant-TW" })).toBe(
    "https://verify.example.test/c/crt_1?lang=zh-Hant-TW",
  );
});
