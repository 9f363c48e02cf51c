import { create } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { ErrorDetailSchema } from "#gen/registry/v1/error_detail_pb.js";
import { errorCodes, isErrorCode } from "../errors/error-codes.ts";
import { badRequest, ServiceError } from "../errors/service-error.ts";
import { reason } from "../reasons/reason.ts";
import { toConnectError, toServiceError } from "./error-conversion.ts";

const why = reason("too_many_products", { count: 3 });

describe("toConnectError", () => {
  test.each(Object.keys(errorCodes).filter(isErrorCode))("converts %s so that toServiceError restores it", (code) => {
    const converted = toConnectError(new ServiceError(code, why, { cause: new Error("internal") }));
    expect(converted.code).toBe(errorCodes[code].grpc);
    const message = "The store has 3 products, the maximum.";
    expect(converted.rawMessage).toBe(message);
    expect(toServiceError(converted)).toMatchObject({ code, message, why, field: undefined });
  });

  test("keeps the field and the message of a bad_request error", () => {
    const restored = toServiceError(toConnectError(badRequest("limit", "is not 1 to 100")));
    expect(restored).toMatchObject({ code: "bad_request", field: "limit", message: "limit is not 1 to 100" });
  });

  test("keeps the reason, field and message of a refused field, also for a reason that only a later version knows", () => {
    const later = { code: "of_tomorrow", params: { count: "3" } };
    const restored = toServiceError(
      toConnectError(new ServiceError("bad_request", later, { field: "url", message: "No." })),
    );
    expect(restored).toMatchObject({ code: "bad_request", field: "url", message: "No.", why: later });
  });

  test.each([new TypeError("x.y is undefined"), "text", null, undefined, { code: "bad_request" }])(
    "does not expose an unknown error: %o",
    (error) => {
      const converted = toConnectError(error);
      expect(converted).toMatchObject({ code: Code.Internal, rawMessage: "internal error", details: [] });
      expect(converted.cause).toBe(error);
    },
  );

  test("returns a ConnectError unchanged", () => {
    const error = new ConnectError("no such method", Code.Unimplemented);
    expect(toConnectError(error)).toBe(error);
  });
});

describe("toServiceError", () => {
  test.each<[Code, string, string]>([
    [Code.Unavailable, "unavailable", "The service is temporarily unavailable. Try again shortly."],
    [Code.DeadlineExceeded, "unavailable", "The service is temporarily unavailable. Try again shortly."],
    [Code.Canceled, "unavailable", "The service is temporarily unavailable. Try again shortly."],
    [Code.Unknown, "internal", "An internal error occurred."],
    [Code.Internal, "internal", "An internal error occurred."],
  ])("converts gRPC status %i without details to %s", (status, code, message) => {
    const failed = new ConnectError("connect ECONNREFUSED 10.0.0.7:9090", status);
    const error = toServiceError(failed);
    expect(error).toMatchObject({ code, message, field: undefined, cause: failed });
  });

  test("converts an error that is not a gRPC error to an internal error", () => {
    expect(toServiceError(new TypeError("x"))).toMatchObject({
      code: "internal",
      message: "An internal error occurred.",
    });
  });

  test("returns a ServiceError unchanged", () => {
    const error = new ServiceError("not_found", "There is no such store.");
    expect(toServiceError(error)).toBe(error);
  });

  test("uses the gRPC status of an error whose code is unknown, such as a code of a later release", () => {
    const detail = { desc: ErrorDetailSchema, value: create(ErrorDetailSchema, { code: "of_tomorrow" }) };
    const failed = new ConnectError("A sentence.", Code.NotFound, undefined, [detail]);
    expect(toServiceError(failed)).toMatchObject({ code: "not_found", message: "A sentence." });
  });
});
