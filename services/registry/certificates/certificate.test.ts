import { expect, test } from "vitest";
import { type Status, statusAt } from "./certificate.ts";

const now = new Date("2026-05-01T12:00:00.000Z");

test.each<[Status, number | null, Status]>([
  ["active", null, "active"],
  ["active", 1, "active"],
  ["active", 0, "expired"],
  ["active", -1, "expired"],
  ["revoked", null, "revoked"],
  ["revoked", 1, "revoked"],
  ["revoked", 0, "revoked"],
  ["revoked", -1, "revoked"],
  ["expired", -1, "expired"],
  // The database's clock was set back.
  ["expired", 1, "active"],
])("statusAt: stored status %s with %o ms until the expiry (null: no expiry) is %s", (status, expiresInMs, shown) => {
  const expiresAt = expiresInMs === null ? null : new Date(now.getTime() + expiresInMs);
  expect(statusAt({ status, expiresAt }, now)).toBe(shown);
});
