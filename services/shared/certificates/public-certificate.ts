import { z } from "zod";

const person = z.object({ name: z.string(), email: z.string() });

/** A certificate's public JSON (INTERFACE.md §2.1), as in list responses and in webhook messages of format v2. */
export const publicCertificateSchema = z.object({
  id: z.string(),
  /** At least six decimal digits, with leading zeros if necessary. */
  serial: z.string(),
  status: z.enum(["active", "revoked", "expired"]),
  product: z.object({ id: z.string(), title: z.string(), variant: z.string(), sku: z.string() }),
  edition: z.object({ number: z.number(), total: z.number(), formatted: z.string() }).nullable(),
  order: z.object({ id: z.string().nullable(), name: z.string().nullable() }),
  owner: person,
  originalBuyer: person,
  /** All times are ISO 8601 in UTC, with milliseconds. */
  issuedAt: z.string(),
  updatedAt: z.string(),
  expiresAt: z.string().nullable(),
  revokedAt: z.string().nullable(),
  revokedReason: z.string().nullable(),
  verifyUrl: z.string(),
});

/** See {@link publicCertificateSchema}. */
export const publicCertificatesSchema = publicCertificateSchema.array();

/** See {@link publicCertificateSchema}. */
export type PublicCertificate = Readonly<z.output<typeof publicCertificateSchema>>;
