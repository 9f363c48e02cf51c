import type { MessageInitShape } from "@bufbuild/protobuf";
import type { FindCertificatesRequestSchema } from "#gen/registry/v1/inspection_service_pb.js";
import { type FoundCertificate, parseCertificate } from "./find-certificate.ts";
import type { StoreCalls } from "./operator-client.ts";

/** Filters of the list, as in the API; a certificate must match every filter that is set. */
export type CertificateFilters = Pick<
  MessageInitShape<typeof FindCertificatesRequestSchema>,
  "email" | "order" | "serial" | "status" | "updatedSince"
>;

const pageMax = 100;

/**
 * Reads a store's certificates page by page, least recently changed first, and calls `onFound` for each certificate.
 *
 * @param countMax maximum number of certificates
 * @returns whether more certificates match
 */
export async function listCertificates(
  { inspection }: Pick<StoreCalls, "inspection">,
  query: CertificateFilters,
  countMax: number,
  onFound: (certificate: FoundCertificate) => void,
): Promise<boolean> {
  let after: MessageInitShape<typeof FindCertificatesRequestSchema>["after"];
  for (let left = countMax; left > 0; ) {
    const page = { limit: Math.min(left, pageMax), ...(after && { after }) };
    const { certificates, next } = await inspection.findCertificates({ ...query, ...page });
    for (const json of certificates) onFound(parseCertificate(json));
    if (next === undefined) return false;
    left -= certificates.length;
    after = next;
  }
  return true;
}
