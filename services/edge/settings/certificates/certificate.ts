import type { JsonObject } from "@bufbuild/protobuf";
import { z } from "zod";

const person = z.object({ name: z.string(), email: z.string() });

const certificateSchema = z.object({
  id: z.string(),
  serial: z.string(),
  status: z.enum(["active", "revoked", "expired"]),
  product: z.object({ id: z.string(), title: z.string(), variant: z.string(), sku: z.string() }),
  edition: z.object({ number: z.number(), total: z.number(), formatted: z.string() }).nullable(),
  order: z.object({ name: z.string().nullable() }),
  owner: person,
  originalBuyer: person,
  issuedAt: z.string(),
  updatedAt: z.string(),
  expiresAt: z.string().nullable(),
  revokedAt: z.string().nullable(),
  revokedReason: z.string().nullable(),
  verifyUrl: z.string(),
});

/** The fields of a certificate that the settings show. */
export type ShownCertificate = z.output<typeof certificateSchema>;

/** Parses the public JSON of a certificate (INTERFACE.md §2.1). @throws ZodError if a field is missing or invalid */
export function parseCertificate(json: JsonObject | undefined): ShownCertificate {
  return certificateSchema.parse(json);
}
