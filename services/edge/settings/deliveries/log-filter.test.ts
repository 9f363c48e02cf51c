import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { EventType } from "#gen/events/v1/certificate_event_pb.js";
import { OutcomeKind } from "#gen/registry/v1/notifier_service_pb.js";
import { logFilter, nextPageQuery } from "./log-filter.ts";

const filterOf = (query: string) => logFilter(new URLSearchParams(query));

test("converts the filters of a query, and treats the until date as inclusive", () => {
  expect(filterOf("event=revoked&outcome=tls_failed&since=2026-11-01&until=2026-11-02&id=+evt_1+&page=p")).toEqual({
    event: EventType.REVOKED,
    outcome: OutcomeKind.TLS_FAILED,
    certificateId: "",
    since: timestampFromDate(new Date("2026-11-01T00:00:00Z")),
    until: timestampFromDate(new Date("2026-11-03T00:00:00Z")),
    eventId: "evt_1",
    pageToken: "p",
  });
  const all = { event: EventType.UNSPECIFIED, outcome: OutcomeKind.UNSPECIFIED, eventId: "", pageToken: "" };
  expect(filterOf("id=crt_1")).toEqual({ ...all, certificateId: "crt_1" });
  expect(filterOf("id=000881")).toEqual({ ...all, serial: "000881" });
  const { outcome: _, ...failed } = all;
  expect(filterOf("outcome=failed")).toEqual({ ...failed, certificateId: "", failedOnly: true });
});

test.each([
  "",
  "outcome=unspecified",
  "outcome=0",
  "since=yesterday",
  "until=2026-99-01",
  "since=2026-02-30",
  "event=9",
])("ignores missing and invalid fields: %j", (query) =>
  expect(filterOf(query)).toEqual({ event: 0, outcome: 0, certificateId: "", eventId: "", pageToken: "" }),
);

test("the query for the next page has the same filters and the new page token", () => {
  expect(nextPageQuery(new URLSearchParams("outcome=refused&since=&id=a%26b&page=old&lang=de"), "n+1")).toBe(
    "outcome=refused&id=a%26b&page=n%2B1",
  );
});
