import type { CertificateStatus } from "./certificate.ts";

/** Which certificates to list; all members are optional and can be combined (INTERFACE.md §4.1). */
export interface CertificateFilter {
  /** E-mail address of the current owner, in any letter case. */
  readonly email?: string;
  /** An order's name, such as `#1001`, or its numeric id. */
  readonly order?: string;
  readonly serial?: string;
  readonly status?: CertificateStatus | "all";
  /** Only certificates that changed after this time. A string must be ISO 8601 with a zone; it is sent unchanged. */
  readonly updatedSince?: string | Date;
}

/** A filter, and the page to return. */
export interface PageQuery extends CertificateFilter {
  /** Certificates per page, 1 to 100. Default 100. */
  readonly limit?: number;
  /** `nextCursor` of the previous page. A cursor carries its filter, which need not be sent again. */
  readonly cursor?: string;
}

const pageSizeMax = 100;

/** Returns the query parameters of a request. */
export function parametersOf({ updatedSince, limit = pageSizeMax, ...texts }: PageQuery): URLSearchParams {
  const parameters = new URLSearchParams({ limit: String(limit) });
  // Sends also names that JavaScript lets pass, such as `updated_since`: the service takes or refuses them.
  for (const [name, value] of Object.entries(texts)) if (value !== undefined) parameters.set(name, value);
  const since = updatedSince instanceof Date ? updatedSince.toISOString() : updatedSince;
  if (since !== undefined) parameters.set("updated_since", since);
  return parameters;
}
