import { Code, ConnectError } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { badRequest, ServiceError } from "#shared/errors/service-error.ts";
import { toConnectError } from "#shared/rpc/error-conversion.ts";
import { notSent } from "#shared/rpc/grpc-failure.ts";
import { mayHoldPlace, registryFailure } from "./list-client.ts";

describe("registryFailure", () => {
  test.each([Code.Unavailable, Code.DeadlineExceeded, Code.Canceled])("converts status %i to unavailable", (code) => {
    const failure = registryFailure(new ConnectError("connect ECONNREFUSED 10.0.0.1:50051", code));
    expect(failure.code).toBe("unavailable");
    expect(failure.message).not.toContain("10.0.0.1");
  });

  test("keeps an unavailable error that the registry sent", () => {
    const failure = registryFailure(toConnectError(new ServiceError("unavailable", "Try again shortly.")));
    expect(failure).toMatchObject({ code: "unavailable", message: "Try again shortly." });
  });

  test("keeps a bad_request that names a parameter", () => {
    const failure = registryFailure(toConnectError(badRequest("serial", "is too long.")));
    expect(failure).toMatchObject({ code: "bad_request", message: "serial is too long.", field: "serial" });
  });

  test.each([
    Code.InvalidArgument,
    Code.Unauthenticated,
    Code.PermissionDenied,
    Code.ResourceExhausted,
    Code.NotFound,
    Code.Unimplemented,
    Code.Internal,
    Code.DataLoss,
  ])("converts status %i without details to internal", (code) => {
    expect(registryFailure(new ConnectError("detail", code)).code).toBe("internal");
  });

  test("converts an error that is not a gRPC error to an internal error, with the original error as the cause", () => {
    const thrown = new TypeError("x is not a function");
    expect(registryFailure(thrown)).toMatchObject({ code: "internal", cause: thrown });
  });
});

describe("mayHoldPlace", () => {
  test.each([
    ["the connection was lost", new ConnectError("Connection dropped", Code.Unavailable), true],
    ["no response arrived in time", new ConnectError("Deadline exceeded", Code.DeadlineExceeded), true],
    ["the edge cancelled the call", new ConnectError("cancelled", Code.Canceled), false],
    ["the registry answered", toConnectError(new ServiceError("unavailable", "Try again shortly.")), false],
    ["no registry received the call", notSent(Object.assign(new Error("refused"), { code: Code.Unavailable })), false],
    ["the registry does not know the method", new ConnectError("unimplemented", Code.Unimplemented), false],
  ])("when %s (%s), returns %s", (_when, error, expected) => {
    expect(mayHoldPlace(error)).toBe(expected);
  });
});
