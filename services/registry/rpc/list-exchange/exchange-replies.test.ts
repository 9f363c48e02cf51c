import { fromBinary } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { Admission } from "#gen/registry/v1/edge_service_pb.js";
import { ExchangeResponseSchema } from "#gen/registry/v1/list_exchange_service_pb.js";
import { badRequest } from "#shared/errors/service-error.ts";
import { toConnectError } from "#shared/rpc/error-conversion.ts";
import { settingsFixture } from "../../values/store-settings-fixture.ts";
import { answerReply, errorReply, joinReply, type Reply } from "./exchange-replies.ts";

const decode = (reply: Reply) => fromBinary(ExchangeResponseSchema, Buffer.from(joinReply(reply)));
const rateLimit = { limit: 120, windowSeconds: 60, remaining: 119, resetSeconds: 60 };
const at = new Date("2026-11-22T12:00:00.123Z");
const decision = {
  admission: "admitted",
  storeId: "sto_1",
  rateLimit,
  at,
  settings: settingsFixture,
  epoch: "",
} as const;

test.each([0, 1, 100, 127, 128, 16_384, 300_000])("encodes a page with %i bytes of JSON", (length) => {
  const bytes = Buffer.alloc(length, '"');
  const page = { json: bytes, next: at };
  const { id, kind } = decode(answerReply(7, { decision, page }));
  expect([id, kind.case]).toEqual([7, "list"]);
  expect(kind.value).toMatchObject({ admission: Admission.ADMITTED, storeId: "sto_1", rateLimit });
  const decoded = kind.case === "list" ? kind.value.page : undefined;
  expect(decoded?.next).toEqual(timestampFromDate(at));
  expect(Buffer.from(decoded?.json ?? []).equals(bytes)).toBe(true);
});

test("encodes an answer without a page", () => {
  const { kind } = decode(answerReply(1, { decision: { admission: "unknown_key" } }));
  expect(kind).toMatchObject({ case: "list", value: { admission: Admission.UNKNOWN_KEY, storeId: "" } });
  expect(kind.case === "list" && kind.value.page).toBeUndefined();
});

test("encodes an error with its code and field", () => {
  const { id, kind } = decode(errorReply(2, toConnectError(badRequest("limit", "is wrong"))));
  const detail = { code: "bad_request", field: "limit" };
  expect({ id, kind }).toMatchObject({ id: 2, kind: { case: "error", value: { message: "limit is wrong", detail } } });
});
