import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { timestampFromDate, timestampMs } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { type PageQuery, PageQuerySchema, StatusFilter } from "#gen/registry/v1/edge_service_pb.js";
import { listBody, pageMessage } from "./list-certificates.ts";
import { parseListQuery } from "./list-query.ts";

function encodedQuery(rawQuery: string, afterMs?: number): PageQuery {
  const schema = PageQuerySchema;
  const message = create(schema, pageMessage({ ...parseListQuery(rawQuery), afterMs }));
  return fromBinary(schema, toBinary(schema, message));
}

describe("pageMessage", () => {
  test("requests the first 50 certificates for an empty query", () => {
    const request = encodedQuery("");
    expect(request).toMatchObject({ limit: 50, status: StatusFilter.UNSPECIFIED });
    const { email, serial, updatedSince, after, order } = request;
    expect([email, serial, updatedSince, after, order.case]).toEqual(Array(5).fill(undefined));
  });

  test("converts every filter", () => {
    const request = encodedQuery(
      "email=A@b&order=%231&serial=007&status=expired&limit=3&updated_since=2026-03-01T12:00:00.123Z",
    );
    expect(request).toMatchObject({
      email: "A@b",
      order: { case: "orderName", value: "#1" },
      serial: "7",
      status: StatusFilter.EXPIRED,
      limit: 3,
    });
    expect(request.updatedSince).toEqual(timestampFromDate(new Date("2026-03-01T12:00:00.123Z")));
  });

  test("distinguishes an order id from an order name", () => {
    expect(encodedQuery("order=0042").order).toEqual({ case: "orderId", value: "0042" });
  });

  test("starts after the cursor's position, which may be before 1970", () => {
    for (const afterMs of [0, -1, -1_001, 1_700_000_000_123]) {
      const { after } = encodedQuery("", afterMs);
      expect(after && timestampMs(after)).toBe(afterMs);
    }
  });
});

describe("listBody", () => {
  const joined = (parts: readonly Uint8Array[]) => Buffer.concat(parts).toString();

  test("builds an empty last page", () => {
    expect(joined(listBody(new Uint8Array(), undefined))).toBe('{"certificates":[],"next_cursor":null}');
  });

  test("copies the bytes of the certificates unchanged", () => {
    const json = '{"id":"1", "n":1.50},{"title":"Zürich \\u00e9 🍋"}';
    expect(joined(listBody(Buffer.from(json), "AQ-_"))).toBe(`{"certificates":[${json}],"next_cursor":"AQ-_"}`);
  });
});
