/** One state of a certificate, reduced to the fields that the check compares. */
export interface CertificateVersion {
  readonly id: string;
  readonly updatedAt: string;
  readonly status: string;
  /** E-mail address of the owner. */
  readonly owner: string;
}

/** Filter of a client's list requests; an empty filter includes all certificates. */
export interface VersionFilter {
  readonly status?: string;
  readonly email?: string;
}

/** Returns whether a filter includes a certificate (INTERFACE.md §4.1). */
export function matches(filter: VersionFilter, version: CertificateVersion): boolean {
  return (
    (filter.status === undefined || filter.status === version.status) &&
    (filter.email === undefined || filter.email.toLowerCase() === version.owner.toLowerCase())
  );
}

/** A page that a client stored. All times have the same ISO 8601 format, so string order is time order. */
export interface StoredPage {
  readonly requestedAt: string;
  readonly receivedAt: string;
  /** The `updatedAt` values of the certificates, in page order. */
  readonly times: readonly string[];
}
