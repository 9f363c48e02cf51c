import { expect, test } from "vitest";
import { badRequest, isUnavailable, ServiceError } from "./service-error.ts";

test("has no stack trace, but leaves the stack traces of other errors intact", () => {
  const error = new ServiceError("unavailable", "Try again.");
  expect(error.stack).toBe("ServiceError: Try again.");
  expect(new Error("another").stack).toContain("service-error.test.ts");
});

test("keeps the cause with its stack trace", () => {
  const cause = new Error("connection lost");
  const error = new ServiceError("unavailable", "Try again.", { cause });
  expect(error.cause).toBe(cause);
  expect(cause.stack).toContain("service-error.test.ts");
});

test("names the invalid field in the message of a bad_request error", () => {
  const error = badRequest("limit", "must be 1 to 100");
  expect(error).toMatchObject({ code: "bad_request", field: "limit", message: "limit must be 1 to 100" });
  expect(isUnavailable(error)).toBe(false);
});
