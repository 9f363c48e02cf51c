import type { JsonObject } from "@bufbuild/protobuf";
import { type PublicCertificate, publicCertificateSchema } from "#shared/certificates/public-certificate.ts";

/** Parses the public JSON of a certificate (INTERFACE.md §2.1). @throws ZodError if a field is missing or invalid */
export function parseCertificate(json: JsonObject | undefined): PublicCertificate {
  return publicCertificateSchema.parse(json);
}
