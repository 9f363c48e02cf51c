import { expect, test } from "vitest";
import { type CertificateStatus, statusAt } from "./certificate.ts";

const expiresAt = "2026-01-02T00:00:00.000Z";

test.each<[CertificateStatus, string | null, CertificateStatus, string]>([
  ["active", null, "active", "never expires"],
  ["active", expiresAt, "expired", "expires at the millisecond of expiresAt"],
  ["active", "2026-01-02T00:00:00.001Z", "active", "is valid until then"],
  ["revoked", expiresAt, "revoked", "remains revoked"],
  ["expired", expiresAt, "expired", "remains expired"],
])("a certificate that is %s with expiresAt %s is %s: it %s", (status, until, expected) => {
  expect(statusAt({ status, expiresAt: until }, new Date(expiresAt))).toBe(expected);
});
