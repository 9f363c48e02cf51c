import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { eventNames } from "#shared/events/event-name.ts";
import { dayMs } from "#shared/time/day.ts";
import { outcomeNames, selectDeliveries } from "#shared/webhook/delivery-selection.ts";
import { startOfDay } from "../model/start-of-day.ts";

const names = ["event", "outcome", "since", "until", "id"] as const;

/**
 * Converts the URL query of the delivery log page to the fields of a ListDeliveriesRequest. Ignores what
 * {@link mistakenFilter} finds.
 *
 * @param query `event`, `outcome`: names in lower case; `since`, `until`: days in UTC, both included; `id`: the id of a
 * message, or the id or serial number of a certificate; `page`: a page token
 */
export function logFilter(query: URLSearchParams) {
  const text = (name: string) => (query.get(name) ?? "").trim();
  const since = startOfDay(text("since"));
  const until = startOfDay(text("until"));
  const id = text("id");
  const isCertificate = /^(crt_|\d+$)/.test(id);
  return {
    ...selectDeliveries({
      event: text("event"),
      outcome: text("outcome"),
      certificate: isCertificate ? id : "",
      since: since && timestampFromDate(since),
      until: until && timestampFromDate(new Date(until.getTime() + dayMs)),
    }),
    eventId: isCertificate ? "" : id,
    pageToken: text("page"),
  };
}

/** Returns the value of the first filter of a query that {@link logFilter} ignores because it is invalid. */
export function mistakenFilter(query: URLSearchParams): string | undefined {
  const isValid: Readonly<Partial<Record<string, (value: string) => boolean>>> = {
    event: (value) => eventNames.includes(value),
    outcome: (value) => outcomeNames.includes(value),
    since: (value) => startOfDay(value) !== undefined,
    until: (value) => startOfDay(value) !== undefined,
  };
  return [...query].find(([name, value]) => value.trim() !== "" && isValid[name]?.(value.trim()) === false)?.[1];
}

/** Returns the filters of a URL query, or of a form, without those that are empty. */
export function filtersOf(entryOf: (name: string) => string | null): URLSearchParams {
  const entries = names.map((name): [string, string] => [name, entryOf(name) ?? ""]);
  return new URLSearchParams(entries.filter(([, value]) => value !== ""));
}

/** Returns the URL query of the next page: the same filters, and the page token. */
export function nextPageQuery(query: URLSearchParams, pageToken: string): string {
  const next = filtersOf((name) => query.get(name));
  next.set("page", pageToken);
  return next.toString();
}
