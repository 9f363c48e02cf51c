import { ListClient, type ListedCertificate, pageSchema } from "../../harness/list-client.ts";
import type { CertificateVersion } from "./certificate-version.ts";

/** A page of the certificate list, reduced to the fields that the check needs. */
export interface ListPage {
  readonly certificates: readonly CertificateVersion[];
  readonly nextCursor: string | null;
}

/** Requests a page. @returns the page or the cause of a temporary failure @throws Error for a permanent failure */
export type FetchPage = (
  parameters: Readonly<Record<string, string>>,
) => Promise<{ readonly page: ListPage } | { readonly failure: string }>;

const replyWithinMs = 10_000;
const retryableStatuses: readonly number[] = [429, 500, 503];

/** Creates a function that requests pages from one edge. @param baseUrl without a trailing slash */
export function pagesOf(baseUrl: string, apiKey: string): FetchPage {
  const client = new ListClient(baseUrl, apiKey);
  return async (parameters) => {
    const query = new URLSearchParams(parameters).toString();
    let status: number;
    let body: string;
    try {
      const response = await client.fetch(query, { signal: AbortSignal.timeout(replyWithinMs) });
      status = response.status;
      body = await response.text();
    } catch (error) {
      return { failure: failureOf(error) };
    }
    if (retryableStatuses.includes(status)) return { failure: String(status) };
    if (status !== 200) throw new Error(`the list request ${query} failed with status ${status}: ${body}`);
    const { certificates, next_cursor } = pageSchema.parse(JSON.parse(body));
    return { page: { certificates: certificates.map(versionOf), nextCursor: next_cursor } };
  };
}

function versionOf({ id, updatedAt, status, owner }: ListedCertificate): CertificateVersion {
  return { id, updatedAt, status, owner: owner.email };
}

// fetch() reports a connection error, such as ECONNREFUSED, as the cause of its own error.
function failureOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return String(cause);
  return "code" in cause && typeof cause.code === "string" ? cause.code : cause.name;
}
