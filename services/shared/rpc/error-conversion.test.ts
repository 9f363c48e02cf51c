import { create } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { ErrorDetailSchema } from "#gen/registry/v1/error_detail_pb.js";
import { errorCodes, isErrorCode } from "../errors/error-codes.ts";
import { badRequest, ServiceError } from "../errors/service-error.ts";
import { toConnectError, toServiceError } from "./error-conversion.ts";

describe("what a failed call shows", () => {
  test.each(Object.keys(errorCodes).filter(isErrorCode))("%s: its code, and the way back", (code) => {
    const shown = toConnectError(new ServiceError(code, "A sentence.", { cause: new Error("internal") }));
    expect(shown.code).toBe(errorCodes[code].grpc);
    expect(shown.rawMessage).toBe("A sentence.");
    expect(toServiceError(shown)).toMatchObject({ code, message: "A sentence.", field: undefined });
  });

  test("a refusal names its field, and its message begins with it", () => {
    const back = toServiceError(toConnectError(badRequest("limit", "is not 1 to 100")));
    expect(back).toMatchObject({ code: "bad_request", field: "limit", message: "limit is not 1 to 100" });
  });

  test.each([new TypeError("x.y is undefined"), "text", null, undefined, { code: "bad_request" }])(
    "nothing of what is unknown: %o",
    (error) => {
      const shown = toConnectError(error);
      expect(shown).toMatchObject({ code: Code.Internal, rawMessage: "internal error", details: [] });
      expect(shown.cause).toBe(error);
    },
  );

  test("an error of the protocol stays as it is", () => {
    const error = new ConnectError("no such method", Code.Unimplemented);
    expect(toConnectError(error)).toBe(error);
  });
});

describe("what a failed call means", () => {
  test.each<[Code, string, string]>([
    [Code.Unavailable, "unavailable", "The service is not available at the moment. Try again shortly."],
    [Code.DeadlineExceeded, "unavailable", "The service is not available at the moment. Try again shortly."],
    [Code.Canceled, "unavailable", "The service is not available at the moment. Try again shortly."],
    [Code.Unknown, "internal", "Something went wrong on our side."],
    [Code.Internal, "internal", "Something went wrong on our side."],
  ])("without details, gRPC status %i: %s", (status, code, message) => {
    const failed = new ConnectError("connect ECONNREFUSED 10.0.0.7:9090", status);
    const error = toServiceError(failed);
    expect(error).toMatchObject({ code, message, field: undefined, cause: failed });
  });

  test("what is no gRPC error at all is internal", () => {
    expect(toServiceError(new TypeError("x"))).toMatchObject({
      code: "internal",
      message: "Something went wrong on our side.",
    });
  });

  test("a service's own error stays as it is", () => {
    const error = new ServiceError("not_found", "There is no such store.");
    expect(toServiceError(error)).toBe(error);
  });

  test("details with a code of a later release count for their gRPC status", () => {
    const detail = { desc: ErrorDetailSchema, value: create(ErrorDetailSchema, { code: "of_tomorrow" }) };
    const failed = new ConnectError("A sentence.", Code.NotFound, undefined, [detail]);
    expect(toServiceError(failed)).toMatchObject({ code: "not_found", message: "A sentence." });
  });
});
