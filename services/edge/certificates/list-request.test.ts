import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import {
  type ListCertificatesRequest,
  ListCertificatesRequestSchema,
  StatusFilter,
} from "#gen/registry/v1/edge_service_pb.js";
import { parseListQuery } from "./list-query.ts";
import { listRequest } from "./list-request.ts";

function encodedRequest(rawQuery: string, afterMs?: number): ListCertificatesRequest {
  const message = create(
    ListCertificatesRequestSchema,
    listRequest("store-1", parseListQuery(rawQuery), afterMs),
  );
  return fromBinary(ListCertificatesRequestSchema, toBinary(ListCertificatesRequestSchema, message));
}

describe("listRequest", () => {
  test("requests the first 50 certificates of the store for an empty query", () => {
    const request = encodedRequest("");
    expect(request).toMatchObject({ storeId: "store-1", limit: 50, status: StatusFilter.UNSPECIFIED });
    expect([request.email, request.serial, request.updatedSince, request.after, request.order.case]).toEqual(
      Array(5).fill(undefined),
    );
  });

  test("passes every filter", () => {
    const request = encodedRequest(
      "email=A@b&order=%231&serial=007&status=expired&limit=3&updated_since=2026-03-01T12:00:00.123Z",
    );
    expect(request).toMatchObject({
      email: "A@b",
      order: { case: "orderName", value: "#1" },
      serial: "7",
      status: StatusFilter.EXPIRED,
      limit: 3,
    });
    expect(request.updatedSince && timestampMs(request.updatedSince)).toBe(
      Date.parse("2026-03-01T12:00:00.123Z"),
    );
  });

  test("distinguishes an order id from an order name", () => {
    expect(encodedRequest("order=0042").order).toEqual({ case: "orderId", value: "0042" });
  });

  test("starts after the cursor's position, including positions before 1970", () => {
    for (const afterMs of [0, -1, -1_001, 1_700_000_000_123]) {
      const { after } = encodedRequest("", afterMs);
      expect(after && timestampMs(after)).toBe(afterMs);
    }
  });
});
