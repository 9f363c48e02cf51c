import type { SettingsCalls } from "../../registry-client/settings-client.ts";
import { parseCertificate, type ShownCertificate } from "./certificate.ts";
import { nextSearch, searchOf } from "./search.ts";

const certificatesMax = 100;

/** The certificates to print. */
export interface SelectedCertificates {
  readonly certificates: readonly ShownCertificate[];
  /** The query of the page with the next ones; undefined if there are no more. */
  readonly next: string | undefined;
}

/**
 * Reads the certificates that the merchant selected in the list, at most 100; if none is selected, a page of those that
 * the search finds.
 *
 * @param query `certificate`: an id, any number of times; otherwise as for {@link searchOf}
 */
export async function selectedCertificates(
  { certificates: calls }: Pick<SettingsCalls, "certificates">,
  query: URLSearchParams,
): Promise<SelectedCertificates> {
  const ids = [...new Set(query.getAll("certificate"))].slice(0, certificatesMax);
  if (ids.length > 0) {
    const found = await Promise.all(ids.map((value) => calls.getCertificate({ by: { case: "certificateId", value } })));
    return { certificates: found.map(({ certificate }) => parseCertificate(certificate)), next: undefined };
  }
  const request = { ...searchOf(query), limit: certificatesMax, newestFirst: true };
  const { certificates, next } = await calls.findCertificates(request);
  return { certificates: certificates.map(parseCertificate), next: next && nextSearch(query, next) };
}
