import { type Timestamp, timestampDate, timestampFromMs } from "@bufbuild/protobuf/wkt";
import { StatusFilter } from "#gen/registry/v1/edge_service_pb.js";

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
 * @param query `q`: an order name (begins with `#`), an e-mail address (contains `@`), or a serial number (any other
 * text, which finds nothing unless it is a number); `status`; `after`: `updatedAt` of the last certificate on the
 * previous page, in Unix milliseconds
 */
export function searchOf(query: URLSearchParams) {
  const text = (query.get("q") ?? "").trim();
  const status = statuses.find((name) => name === query.get("status"));
  const after = /^\d{1,15}$/.exec(query.get("after") ?? "")?.[0];
  return {
    ...(text === "" ? {} : termOf(text)),
    ...(status && { status: statusFilters[status] }),
    ...(after && { after: timestampFromMs(Number(after)) }),
  };
}

function termOf(text: string) {
  if (text.startsWith("#")) return { order: { case: "orderName", value: text } as const };
  return text.includes("@") ? { email: text } : { serial: text };
}

/** Returns the query of the next page: the same search, and the position after which the page starts. */
export function nextSearch(query: URLSearchParams, next: Timestamp): string {
  const kept = ["q", "status"].flatMap((name) => {
    const value = query.get(name) ?? "";
    return value === "" ? [] : [[name, value] as [string, string]];
  });
  return new URLSearchParams([...kept, ["after", String(timestampDate(next).getTime())]]).toString();
}
