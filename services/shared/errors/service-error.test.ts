import { expect, test } from "vitest";
import { reason } from "../reasons/reason.ts";
import { badRequest, isUnavailable, reasonOf, ServiceError } from "./service-error.ts";

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

test("gives a person the reason of an error, or a general one", () => {
  const why = reason("url_has_space");
  expect(reasonOf(badRequest("url", why))).toBe(why);
  expect(badRequest("url", why).message).toBe("url is invalid: The URL contains a space or a control character.");
  expect(reasonOf(badRequest("limit", "must be 1 to 100"))).toEqual(reason("entry_invalid", { field: "limit" }));
  expect(reasonOf(new ServiceError("unavailable", "Try again."))).toEqual(reason("unknown", { code: "unavailable" }));
});
