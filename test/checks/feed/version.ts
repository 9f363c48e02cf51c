/** A certificate in one of its states, as far as the check compares it. */
export interface Version {
  readonly id: string;
  readonly updatedAt: string;
  readonly status: string;
  /** The owner's e-mail address. */
  readonly owner: string;
}

/** Which certificates a client asks for; all when empty. */
export interface VersionFilter {
  readonly status?: string;
  readonly email?: string;
}

/** Whether a filter shows a certificate (INTERFACE.md §4.1). */
export function matches(filter: VersionFilter, version: Version): boolean {
  return (
    (filter.status === undefined || filter.status === version.status) &&
    (filter.email === undefined || filter.email.toLowerCase() === version.owner.toLowerCase())
  );
}

/** A page that a client stored. Times are ISO 8601 in one format: the order of the texts is that of the times. */
export interface StoredPage {
  /** When it was asked for, and when it had come. */
  readonly askedAt: string;
  readonly answeredAt: string;
  /** The `updatedAt` of its certificates, in their order. */
  readonly times: readonly string[];
}
