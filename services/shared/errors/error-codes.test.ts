import { Code } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { type ErrorCode, errorCodeOfGrpc, errorCodes, isErrorCode } from "./error-codes.ts";

describe("the error table", () => {
  test("keeps every row, because callers rely on codes and statuses", () => {
    const rows = Object.entries(errorCodes);
    expect(rows.map(([code, { grpc, http, retryable }]) => [code, Code[grpc], http, retryable])).toEqual([
      // INTERFACE.md §7 specifies all of these except failed_precondition and conflict.
      ["bad_request", "InvalidArgument", 400, false],
      ["unauthorized", "Unauthenticated", 401, false],
      ["plan_required", "PermissionDenied", 403, false],
      ["rate_limited", "ResourceExhausted", 429, true],
      ["not_found", "NotFound", 404, false],
      ["method_not_allowed", "Unimplemented", 405, false],
      ["failed_precondition", "FailedPrecondition", 409, false],
      ["conflict", "AlreadyExists", 409, false],
      ["unavailable", "Unavailable", 503, true],
      ["internal", "Internal", 500, false],
    ]);
  });

  test("assigns each code a unique gRPC status that maps back to the code", () => {
    for (const code of Object.keys(errorCodes).filter(isErrorCode))
      expect(errorCodeOfGrpc(errorCodes[code].grpc)).toBe(code);
  });

  test.each<[Code, ErrorCode]>([
    [Code.DeadlineExceeded, "unavailable"],
    [Code.Canceled, "unavailable"],
    [Code.Unknown, "internal"],
    [Code.DataLoss, "internal"],
    [Code.Aborted, "internal"],
    [Code.OutOfRange, "internal"],
  ])("maps the gRPC status %i to %s", (status, code) => {
    expect(errorCodeOfGrpc(status)).toBe(code);
  });
});

test.each(["", "BAD_REQUEST", "toString", "constructor", "__proto__"])("%j is not an error code", (text) => {
  expect(isErrorCode(text)).toBe(false);
});
