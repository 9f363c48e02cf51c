import { type Timestamp, timestampDate, timestampFromMs } from "@bufbuild/protobuf/wkt";
import { StatusFilter } from "#gen/registry/v1/edge_service_pb.js";
import { searchLimits } from "#shared/certificates/search-limits.ts";

/** The statuses by which certificates can be filtered. */
export const statuses = ["active", "revoked", "expired"] as const;

const statusFilters = {
  active: StatusFilter.ACTIVE,
  revoked: StatusFilter.REVOKED,
  expired: StatusFilter.EXPIRED,
};

/**
 * Converts the query of a search to the fields of a FindCertificatesRequest.
 *
 * @param query `q`: words that the certificates must have; `status`; `after`: `updatedAt` of the last certificate that
 * the previous page examined, in Unix milliseconds
 */
export function searchOf(query: URLSearchParams) {
  // As the search field limits it.
  const text = (query.get("q") ?? "").trim().slice(0, searchLimits.charactersMax).toWellFormed();
  const status = statuses.find((name) => name === query.get("status"));
  const after = /^\d{1,15}$/.exec(query.get("after") ?? "")?.[0];
  return {
    ...(text !== "" && { search: text }),
    ...(status && { status: statusFilters[status] }),
    ...(after && { after: timestampFromMs(Number(after)) }),
  };
}

/** Returns the query of the next page: the same search, and the position after which the page starts. */
export function nextSearch(query: URLSearchParams, next: Timestamp): string {
  const kept = ["q", "status"].flatMap((name) => {
    const value = query.get(name) ?? "";
    return value === "" ? [] : [[name, value] as [string, string]];
  });
  return new URLSearchParams([...kept, ["after", String(timestampDate(next).getTime())]]).toString();
}
