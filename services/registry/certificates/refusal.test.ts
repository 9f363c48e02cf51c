import { expect, test } from "vitest";
import { isRefusal, type Refusal, unwrap } from "./refusal.ts";

const refusal: Refusal = { refused: "conflict", message: "Used before.", field: "idempotency_key" };

test("unwrap throws a ServiceError with the code, message and field of the refusal", () => {
  expect(() => unwrap(refusal)).toThrow(
    expect.objectContaining({ code: "conflict", message: "Used before.", field: "idempotency_key" }),
  );
  expect(() => unwrap({ refused: "not_found", message: "None." })).toThrow(
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
