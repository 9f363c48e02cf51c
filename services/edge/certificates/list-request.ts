import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { ListRequest } from "../registry-client/registry-client.ts";
import type { ListQuery } from "./list-query.ts";

/**
 * Converts a parsed query into the registry's request.
 *
 * @param afterMs the decoded cursor in milliseconds since the Unix epoch; undefined for the first page
 */
export function listRequest(storeId: string, query: ListQuery, afterMs: number | undefined): ListRequest {
  const { email, order, serial, status, updatedSinceMs } = query.filters;
  return {
    storeId,
    ...(email === undefined ? {} : { email }),
    ...(order === undefined ? {} : { order: orderField(order.kind, order.value) }),
    ...(serial === undefined ? {} : { serial }),
    status,
    ...(updatedSinceMs === undefined ? {} : { updatedSince: timestampFromMs(updatedSinceMs) }),
    ...(afterMs === undefined ? {} : { after: timestampFromMs(afterMs) }),
    limit: query.limit,
  };
}

function orderField(kind: "name" | "id", value: string) {
  return kind === "name" ? { case: "orderName" as const, value } : { case: "orderId" as const, value };
}
