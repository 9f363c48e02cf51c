import { expect, test } from "vitest";
import { reason } from "#shared/reasons/reason.ts";
import { isRefusal, type Refusal, unwrap } from "./refusal.ts";

const refusal: Refusal = {
  refused: "conflict",
  reason: reason("idempotency_key_reused"),
  field: "idempotency_key",
};

test("unwrap throws a ServiceError with the code, reason and field of the refusal", () => {
  expect(() => unwrap(refusal)).toThrow(
    expect.objectContaining({ code: "conflict", why: refusal.reason, field: "idempotency_key" }),
  );
  expect(() => unwrap({ refused: "not_found", reason: reason("no_such_certificate") })).toThrow(
    expect.objectContaining({ code: "not_found", field: undefined }),
  );
});

test.each([[""], ["refused"], [true], [false], [null], [0], [[refusal]], [{ message: "refused" }]])(
  "unwrap returns the result %o",
  (result) => {
    expect(isRefusal(result)).toBe(false);
    expect(unwrap(result)).toBe(result);
  },
);
