import type { MessageInitShape } from "@bufbuild/protobuf";
import type {
  FindCertificatesRequestSchema,
  FindCertificatesResponse,
} from "#gen/registry/v1/inspection_service_pb.js";
import { type FoundCertificate, parseCertificate } from "./find-certificate.ts";
import type { StoreCalls } from "./operator-client.ts";
import { readPages } from "./read-pages.ts";

/** Filters of the list, as in the API; a certificate must match every filter that is set. */
export type CertificateFilters = Pick<
  MessageInitShape<typeof FindCertificatesRequestSchema>,
  "email" | "order" | "serial" | "status" | "updatedSince" | "search"
>;

/**
 * Reads a store's certificates page by page, least recently changed first, and calls `onFound` for each certificate.
 *
 * @param countMax maximum number of certificates
 * @param note as for {@link readPages}
 * @returns whether more certificates match
 */
export function listCertificates(
  { inspection }: Pick<StoreCalls, "inspection">,
  query: CertificateFilters,
  countMax: number,
  onFound: (certificate: FoundCertificate) => void,
  note: (text: string) => void,
): Promise<boolean> {
  type Position = FindCertificatesResponse["next"];
  const read = async (limit: number, after: Position) => {
    const { certificates, next } = await inspection.findCertificates({ ...query, limit, ...(after && { after }) });
    return { items: certificates, next };
  };
  return readPages(countMax, read, (json) => onFound(parseCertificate(json)), note);
}
