import { type Timestamp, timestampDate, timestampFromMs } from "@bufbuild/protobuf/wkt";
import { StatusFilter } from "#gen/registry/v1/edge_service_pb.js";
import { searchLimits } from "#shared/certificates/search-limits.ts";
import { namedValues } from "#shared/enums/named-values.ts";

/** The statuses by which certificates can be filtered. */
export const statuses = ["active", "revoked", "expired"] as const;

const statusFilters = namedValues(StatusFilter);

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

/** Returns which certificates a list shows first: those changed last or, with `sort=oldest`, the others. */
export function orderOf(query: URLSearchParams): "newest" | "oldest" {
  return query.get("sort") === "oldest" ? "oldest" : "newest";
}

/** Converts the query of a list, see {@link searchOf} and {@link orderOf}, to fields of a FindCertificatesRequest. */
export function listOf(query: URLSearchParams) {
  return { ...searchOf(query), newestFirst: orderOf(query) === "newest" };
}

/** Parameters of a list's query other than its position, `after`. */
export const listParameters = ["q", "status", "sort"] as const;

/** Returns those parameters of a query that are not empty. */
export function parametersOf(query: URLSearchParams, names: readonly string[]): [name: string, value: string][] {
  return names.flatMap((name): [string, string][] => {
    const value = query.get(name)?.toWellFormed() ?? "";
    return value === "" ? [] : [[name, value]];
  });
}

/** Returns the query, with its `?` unless it is empty, of the first page of the list in the other order. */
export function reversed(query: URLSearchParams): string {
  const search = parametersOf(query, ["q", "status"]);
  const other = String(new URLSearchParams(orderOf(query) === "oldest" ? search : [...search, ["sort", "oldest"]]));
  return other === "" ? "" : `?${other}`;
}

/** Returns the query of the next page: the same list, and the position after which the page starts. */
export function nextSearch(query: URLSearchParams, next: Timestamp): string {
  return new URLSearchParams([
    ...parametersOf(query, listParameters),
    ["after", String(timestampDate(next).getTime())],
  ]).toString();
}
