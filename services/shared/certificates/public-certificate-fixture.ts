import type { PublicCertificate } from "./public-certificate.ts";

const person = { name: "Ada Lovelace", email: "ada@example.test" };

/** A valid certificate for tests, without what is optional. */
export const publicCertificateFixture: PublicCertificate = {
  id: "crt_1",
  serial: "000001",
  status: "active",
  product: { id: "7001", title: "Vase", variant: "", sku: "V" },
  edition: null,
  order: { id: null, name: null },
  owner: person,
  originalBuyer: person,
  issuedAt: "2026-03-14T10:00:00.000Z",
  updatedAt: "2026-03-14T10:00:00.000Z",
  expiresAt: null,
  revokedAt: null,
  revokedReason: null,
  verifyUrl: "https://verify.example.test/c/token",
};
