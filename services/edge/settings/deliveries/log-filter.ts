import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import { dayMs, startOfDay } from "../model/start-of-day.ts";

/** The outcomes by which the log can be filtered, in the order of the form. */
export const filterOutcomes = [
  ...["delivered", "refused", "timeout", "connection_failed", "tls_failed", "blocked"],
  ...["redirected", "protocol_error", "interrupted", "skipped"],
] as const;

/**
 * Converts the URL query of the delivery log page to the fields of a ListDeliveriesRequest. Ignores an unknown outcome
 * and an invalid day.
 *
 * @param query `outcome`: a name in lower case; `since`, `until`: days in UTC, both included; `id`: the id of a message
 * or a certificate; `page`: a page token
 */
export function logFilter(query: URLSearchParams) {
  const outcome = outcomeOf(query.get("outcome") ?? "");
  const since = startOfDay(query.get("since") ?? "");
  const until = startOfDay(query.get("until") ?? "");
  const id = (query.get("id") ?? "").trim();
  return {
    ...(outcome === undefined ? {} : { outcome }),
    ...(since && { since: timestampFromDate(since) }),
    ...(until && { until: timestampFromDate(new Date(until.getTime() + dayMs)) }),
    ...(id.startsWith("crt_") ? { certificateId: id } : { eventId: id }),
    pageToken: query.get("page") ?? "",
  };
}

/** Returns the URL query of the next page: the same filters, and the page token. */
export function nextPageQuery(query: URLSearchParams, pageToken: string): string {
  const kept = ["outcome", "since", "until", "id"].filter((name) => (query.get(name) ?? "") !== "");
  const next = new URLSearchParams(kept.map((name): [string, string] => [name, query.get(name) ?? ""]));
  next.set("page", pageToken);
  return next.toString();
}

function outcomeOf(name: string): OutcomeKind | undefined {
  const known = filterOutcomes.find((candidate) => candidate === name);
  if (known === undefined) return undefined;
  return Object.entries(OutcomeKind).flatMap(([key, value]) =>
    key === known.toUpperCase() && typeof value === "number" ? [value] : [],
  )[0];
}
