import { z } from "zod";
import { certificateSchema, ListClient } from "../../harness/list-client.ts";
import type { Version } from "./version.ts";

const pageSchema = z.strictObject({
  certificates: z.array(certificateSchema),
  next_cursor: z.string().nullable(),
});

/** One page of the list. */
export interface ListPage {
  readonly certificates: readonly Version[];
  readonly nextCursor: string | null;
}

/** A page, or why there is none at the moment. */
export type ListReply = { readonly page: ListPage } | { readonly failure: string };

/** Asks for a page. @throws Error for a reply that trying again does not change */
export type FetchPage = (parameters: Readonly<Record<string, string>>) => Promise<ListReply>;

const replyWithinMs = 10_000;
const passing: readonly number[] = [429, 500, 503];

/** Asks an edge. @param baseUrl without a slash at its end */
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
    if (passing.includes(status)) return { failure: String(status) };
    if (status !== 200) throw new Error(`the list answered ${query} with ${status} ${body}`);
    const { certificates, next_cursor } = pageSchema.parse(JSON.parse(body));
    return { page: { certificates: certificates.map(versionOf), nextCursor: next_cursor } };
  };
}

function versionOf({ id, updatedAt, status, owner }: z.output<typeof certificateSchema>): Version {
  return { id, updatedAt, status, owner: owner.email };
}

// The connection's error, as ECONNREFUSED, is the cause of a failed fetch.
function failureOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return String(cause);
  return "code" in cause && typeof cause.code === "string" ? cause.code : cause.name;
}
