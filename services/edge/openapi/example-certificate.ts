import type { JsonObject } from "./json.ts";

/** A certificate that was transferred once, as readers of the description see it. */
export const exampleCertificate: JsonObject = {
  id: "crt_8k2m4n6p8q0r2s4t6v8w0x2y",
  serial: "000042",
  status: "active",
  product: { id: "7001", title: "Alpine Jacket", variant: "M / Blue", sku: "AJ-M-B" },
  edition: { number: 7, total: 50, formatted: "7/50" },
  order: { id: "4500001", name: "#1001" },
  owner: { name: "Ben Example", email: "ben@example.com" },
  originalBuyer: { name: "Ada Example", email: "ada@example.com" },
  issuedAt: "2026-03-01T12:00:00.000Z",
  updatedAt: "2026-04-05T06:07:08.009Z",
  expiresAt: null,
  revokedAt: null,
  revokedReason: null,
  verifyUrl: "https://verify.example/crt_8k2m4n6p8q0r2s4t6v8w0x2y?lang=en",
};
