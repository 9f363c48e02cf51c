import { randomBytes } from "node:crypto";
import type { FindCertificatesRequest } from "#gen/registry/v1/inspection_service_pb.js";
import type { PublicCertificate } from "#shared/certificates/public-certificate.ts";
import { inStore } from "./in-store.ts";
import type { TestRegistry } from "./registry-fixture.ts";
import { createTestApiKey } from "./test-stores.ts";

export type { PublicCertificate } from "#shared/certificates/public-certificate.ts";

/** Parses the public JSON of a certificate from an event. */
export function parseCertificate(json: Uint8Array): PublicCertificate {
  return JSON.parse(Buffer.from(json).toString("utf8"));
}

/** Parses the public JSON of the certificates of a list page. */
export function parsePage(json: Uint8Array): PublicCertificate[] {
  return JSON.parse(`[${Buffer.from(json).toString("utf8")}]`);
}

/** Filters and page size of a list. */
export type ListConditions = Partial<
  Pick<FindCertificatesRequest, "email" | "order" | "serial" | "status" | "updatedSince" | "limit">
>;

/** Lists all certificates of a store that match the conditions, page by page. */
export async function listAll(
  { inspection }: Pick<TestRegistry, "inspection">,
  storeId: string,
  conditions: ListConditions = {},
): Promise<PublicCertificate[]> {
  const certificates: PublicCertificate[] = [];
  let after: FindCertificatesRequest["after"];
  do {
    const page = await inspection.findCertificates(
      { limit: 100, ...conditions, ...(after && { after }) },
      inStore(storeId),
    );
    certificates.push(...page.certificates.map((one) => JSON.parse(JSON.stringify(one))));
    after = page.next;
  } while (after !== undefined);
  return certificates;
}

/** Returns the certificate with this serial number. @throws Error when the store has no such certificate */
export async function listOne(
  registry: Pick<TestRegistry, "inspection">,
  storeId: string,
  serial = "1",
): Promise<PublicCertificate> {
  const [certificate] = await listAll(registry, storeId, { serial });
  if (certificate === undefined) throw new Error(`the store has no certificate with serial ${serial}`);
  return certificate;
}

/**
 * Returns the JSON that the API lists for a store's only certificate. Takes one place of the store's rate limit.
 *
 * @throws Error if the store has no certificate, or several
 */
export async function listedJson(registry: Pick<TestRegistry, "admin" | "edge">, storeId: string): Promise<string> {
  const { keySha256 } = await createTestApiKey(registry, storeId);
  const { page } = await registry.edge.handleList({ keySha256, admissionId: randomBytes(16), page: { limit: 2 } });
  const json = Buffer.from(page?.json ?? []);
  const certificates = parsePage(json);
  if (certificates.length !== 1) throw new Error(`the store has ${certificates.length} certificates`);
  return json.toString("utf8");
}
