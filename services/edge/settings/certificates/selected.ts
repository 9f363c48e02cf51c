import { publicCertificatesSchema } from "#shared/certificates/public-certificate.ts";
import type { SettingsCalls } from "../../registry-client/settings-client.ts";
import { listOf, nextSearch } from "./search.ts";

const certificatesMax = 100;
// 100 calls at once would wait for each other's connections to the database, and fail on a busy machine.
const readsAtOnce = 10;

/**
 * Reads at most 100 of the certificates that the merchant selected in the list or, if none is selected, of those that
 * the search finds.
 *
 * @param query a `certificate` parameter for each selected id; without any, the parameters of {@link listOf}
 * @returns the certificates, and the query of the next page; undefined on the last page
 */
export async function selectedCertificates({ inspection }: Pick<SettingsCalls, "inspection">, query: URLSearchParams) {
  const ids = [...new Set(query.getAll("certificate"))];
  if (ids.length > 0) {
    const [page, rest] = [ids.slice(0, certificatesMax), ids.slice(certificatesMax)];
    const read = (value: string) => inspection.getCertificate({ by: { case: "certificateId", value } });
    const found: Awaited<ReturnType<typeof read>>[] = [];
    for (let start = 0; start < page.length; start += readsAtOnce)
      found.push(...(await Promise.all(page.slice(start, start + readsAtOnce).map(read))));
    const next = new URLSearchParams(rest.map((id): [string, string] => ["certificate", id])).toString();
    return {
      certificates: publicCertificatesSchema.parse(found.map(({ certificate }) => certificate)),
      next: next || undefined,
    };
  }
  const request = { ...listOf(query), limit: certificatesMax };
  const { certificates, next } = await inspection.findCertificates(request);
  return { certificates: publicCertificatesSchema.parse(certificates), next: next && nextSearch(query, next) };
}
