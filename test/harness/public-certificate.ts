import type { ListCertificatesRequest } from "#gen/registry/v1/edge_service_pb.js";
import type { PublicCertificate } from "#shared/certificates/public-certificate.ts";
import type { TestRegistry } from "./registry-fixture.ts";

export type { PublicCertificate } from "#shared/certificates/public-certificate.ts";

/** Parses the public JSON of a certificate from a list page or an event. */
export function parseCertificate(json: Uint8Array): PublicCertificate {
  return JSON.parse(Buffer.from(json).toString("utf8"));
}

/** Filters and page size of a list. */
export type ListConditions = Partial<
  Pick<ListCertificatesRequest, "email" | "order" | "serial" | "status" | "updatedSince" | "limit">
>;

/** Lists all certificates of a store that match the conditions, page by page. */
export async function listAll(
  { edge }: Pick<TestRegistry, "edge">,
  storeId: string,
  conditions: ListConditions = {},
): Promise<PublicCertificate[]> {
  const certificates: PublicCertificate[] = [];
  let after: ListCertificatesRequest["after"];
  do {
    const page = await edge.listCertificates({ limit: 100, ...conditions, storeId, ...(after && { after }) });
    certificates.push(...page.certificates.map(parseCertificate));
    after = page.next;
  } while (after !== undefined);
  return certificates;
}

/** Returns the certificate with this serial number. @throws Error when the store has no such certificate */
export async function listOne(
  registry: Pick<TestRegistry, "edge">,
  storeId: string,
  serial = "1",
): Promise<PublicCertificate> {
  const [certificate] = await listAll(registry, storeId, { serial });
  if (certificate === undefined) throw new Error(`the store has no certificate with serial ${serial}`);
  return certificate;
}
